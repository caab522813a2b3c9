"""`blockfall rules | features | agents`: what there is, with sources."""

import typer

from blockfall.agents import agent, agent_names
from blockfall.cli.output import JsonFlag, print_json, print_table
from blockfall.features import features
from blockfall.rulesets import rules, rules_names


def add_to(app: typer.Typer) -> None:
    app.command("rules", epilog="Example: blockfall rules --json")(list_rules)
    app.command("features", epilog="Example: blockfall features")(list_features)
    app.command("agents", epilog="Example: blockfall agents")(list_agents)


def list_rules(as_json: JsonFlag = False) -> None:
    """The rule sets."""
    found = [rules(name) for name in rules_names()]
    if as_json:
        print_json([{"name": r.name, "source": r.source, **r.table.model_dump(mode="json")} for r in found])
        return
    print_table(
        "Rule sets",
        ("name", "what it is", "board", "placement", "generator", "source"),
        (
            (
                r.name,
                r.title,
                f"{r.columns}x{r.visible_rows}",
                r.table.placement.model,
                r.table.generator.name,
                r.source,
            )
            for r in found
        ),
    )


def list_features(as_json: JsonFlag = False) -> None:
    """The features that agents weigh."""
    if as_json:
        print_json(
            [
                {
                    "name": f.name,
                    "aliases": list(f.aliases),
                    "definition": f.definition,
                    "formula": f.formula,
                    "source": f.source,
                }
                for f in features()
            ]
        )
        return
    print_table("Features", ("name", "definition", "source"), ((f.name, f.definition, f.source) for f in features()))


def list_agents(as_json: JsonFlag = False) -> None:
    """The agents."""
    found = [agent(name) for name in agent_names()]
    if as_json:
        print_json(
            [{"name": a.name, "source": a.source, "pieces_known": a.pieces_known, "weights": a.weights} for a in found]
        )
        return
    print_table(
        "Agents",
        ("name", "pieces known", "features", "source"),
        ((a.name, a.pieces_known, ", ".join(a.weights), a.source) for a in found),
        right=("pieces known",),
    )
