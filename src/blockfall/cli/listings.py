"""`blockfall rules | features | groups | agents`: lists with sources."""

import typer

from blockfall.agents import Agent, agent, agent_names, registered_agents
from blockfall.cli.options import PluginOption
from blockfall.cli.output import JsonFlag, print_json, print_rows
from blockfall.features import built_in_features, custom_features, groups
from blockfall.rulesets import registered_rules, rules, rules_names

app = typer.Typer()


@app.command("rules", epilog="Example: blockfall rules --json")
def list_rules(_plugins: PluginOption = None, as_json: JsonFlag = False) -> None:
    """List the rule sets."""
    found = [rules(name) for name in [*rules_names(), *registered_rules()]]
    if as_json:
        print_json([{"name": r.name, "source": r.source, **r.file.model_dump(mode="json")} for r in found])
        return
    print_rows(
        "Rule sets",
        ("name", "what it is", "board", "placement", "generator", "source"),
        (
            (
                r.name,
                r.title,
                f"{r.columns}x{r.visible_rows}",
                r.file.placement.model,
                r.file.generator.name,
                r.source,
            )
            for r in found
        ),
    )


@app.command("features", epilog="Example: blockfall features")
def list_features(_plugins: PluginOption = None, as_json: JsonFlag = False) -> None:
    """List the features that agents weigh."""
    found = [*built_in_features(), *custom_features()]
    if as_json:
        keys = ("name", "definition", "formula", "source", "looks_at", "cost", "example", "example_value")
        print_json([{key: getattr(f, key) for key in keys} | {"aliases": list(f.aliases)} for f in found])
        return
    print_rows(
        "Features",
        ("name", "also", "definition", "source"),
        ((f.name, " ".join(f.aliases), f.definition, f.source) for f in found),
    )


@app.command("groups", epilog="Example: blockfall groups")
def list_groups(as_json: JsonFlag = False) -> None:
    """List the groups of features that the literature uses."""
    found = groups().values()
    if as_json:
        print_json([{"name": g.name, "source": g.source, "features": list(g.features)} for g in found])
        return
    print_rows("Groups", ("name", "features", "source"), ((g.name, ", ".join(g.features), g.source) for g in found))


@app.command("agents", epilog="Example: blockfall agents")
def list_agents(_plugins: PluginOption = None, as_json: JsonFlag = False) -> None:
    """List the agents."""
    found = [agent(name) for name in [*agent_names(), *registered_agents()]]
    if as_json:
        print_json([_facts(a) for a in found])
        return
    print_rows(
        "Agents",
        ("name", "pieces known", "features", "made for", "source"),
        ((a.name, a.pieces_known, ", ".join(a.feature_names) or a.value.title, _made_for(a), a.source) for a in found),
        right=("pieces known",),
    )


def _facts(one: Agent) -> dict[str, object]:
    """Return the agent as in its file; for a function or a program, which has no file, only what is known."""
    if one.is_outside:
        return {"name": one.name, "source": one.source, "pieces_known": one.pieces_known}
    return one.as_json()


def _made_for(one: Agent) -> str:
    measured = "" if one.mean is None else f", {one.mean:,.1f} lines"
    return one.rules + measured
