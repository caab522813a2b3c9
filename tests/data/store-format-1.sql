PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE boards (
  game TEXT NOT NULL,          -- tetris or hopeless
  name TEXT NOT NULL,
  text TEXT NOT NULL,
  saved TEXT NOT NULL,
  PRIMARY KEY (game, name)
) STRICT, WITHOUT ROWID;
INSERT INTO "boards" VALUES('tetris','mine','#...','2026-11-16T10:35:31+00:00');
CREATE TABLE high_scores (
  id INTEGER PRIMARY KEY,
  game TEXT NOT NULL,
  name TEXT NOT NULL,
  score INTEGER NOT NULL,
  played TEXT NOT NULL
) STRICT;
INSERT INTO "high_scores" VALUES(1,'aveiro','ann',3,'2026-11-16T10:35:31+00:00');
CREATE TABLE iterations (
  run TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
  restart INTEGER NOT NULL,
  iteration INTEGER NOT NULL,
  best REAL NOT NULL,          -- so far
  mean REAL NOT NULL,          -- of this iteration's candidates
  spread REAL NOT NULL,        -- their standard deviation
  games INTEGER NOT NULL,
  seconds REAL NOT NULL,
  candidates TEXT NOT NULL,    -- a digest
  fitness BLOB NOT NULL,       -- of each candidate, binary64, little-endian
  PRIMARY KEY (run, restart, iteration)
) STRICT, WITHOUT ROWID;
INSERT INTO "iterations" VALUES('finished0001',0,0,13.0,8.66666666666666607454e+00,3.92286743197994036691e+00,6,1.57717100000809296034e-03,'12c3bd227b2517b4',X'00000000000023400000000000000C400000000000002A40');
INSERT INTO "iterations" VALUES('finished0001',0,1,13.0,8.66666666666666607454e+00,3.92286743197994036691e+00,6,5.6942400001389614772e-03,'ff9964498385370f',X'00000000000023400000000000000C400000000000002A40');
INSERT INTO "iterations" VALUES('finished0001',1,0,0.0,0.0,0.0,6,6.72124399989115772768e-03,'e4155337776c7bc7',X'000000000000000000000000000000000000000000000000');
INSERT INTO "iterations" VALUES('finished0001',1,1,0.0,0.0,0.0,6,8.98162999874330125749e-04,'6bde0526866fc09d',X'000000000000000000000000000000000000000000000000');
INSERT INTO "iterations" VALUES('killed000001',0,0,8500057.5,3166704.25,3.70436705498346872619e+06,12,3.84544600001390790566e-03,'a518a94e0fa74812',X'000000306B366041000000208E845E41000000000080324000000000000032400000000000003E4000000080E6124341');
INSERT INTO "iterations" VALUES('killed000001',0,1,10500060.0,4666715.5,4258985.35778667,12,6.74381699991499772295e-03,'8f90896f57c56a20',X'00000000D5842E4100000080FB06644100000000D5842E41000000C096844E4100000000D5842E4100000080FB066441');
INSERT INTO "iterations" VALUES('killed000001',1,0,9000057.0,2916700.25,3.96251326850248267869e+06,12,1.99242059998141485266e-02,'5f5f4f73d2fa4375',X'0000000000002940000000208F2A61410000000000003540000000408D845E410000000012851E410000000000803540');
INSERT INTO "iterations" VALUES('killed000001',1,1,9000057.0,3.83338066666666651147e+06,1.90759088905716058795e+06,12,7.47460000184219097718e-04,'4af7ca6df33d4e3b',X'000000C024FB5441000000C024FB5441000000008BE336410000008076E34641000000008BE33641000000C06CE35641');
INSERT INTO "iterations" VALUES('killed000001',1,2,9000057.0,4083381.0,2.04973462375275138763e+06,12,1.08894889999646693468e-02,'9873f1ae9ed172c5',X'0000000016851E4100000040E512434100000080942A5141000000606DE3564100000020B5CB584100000080942A5141');
INSERT INTO "iterations" VALUES('killed000001',1,3,9000059.5,7.66672258333333302279e+06,1.88562226687945588493e+06,12,3.34939999993366654962e-03,'1439275d05933e68',X'00000080DC125341000000708F2A614100000080DC125341000000708F2A6141000000708F2A6141000000208F2A6141');
INSERT INTO "iterations" VALUES('killed000001',1,4,9000059.5,6.66672283333333302304e+06,1.3123383710056978743e+06,12,0.00836297999967428,'e541d4a11be8c405',X'000000A0469C5C410000004098844E41000000A0469C5C41000000A0469C5C41000000A06DE35641000000A0469C5C41');
INSERT INTO "iterations" VALUES('killed000001',1,5,9000059.5,7666724.25,3.7267706455497432035e+05,12,6.93868999860569601878e-04,'300f9e6d20793960',X'00000080469C5C4100000080469C5C4100000080469C5C41000000F06A36604100000080469C5C4100000080469C5C41');
INSERT INTO "iterations" VALUES('killed000001',1,6,9000060.0,7750057.5,5.59018112408936140118e+05,12,2.56497600003058323636e-03,'bed64b5a9f53e541',X'000000808F2A614100000040469C5C4100000040469C5C4100000040469C5C4100000040469C5C4100000040469C5C41');
CREATE TABLE runs (
  id TEXT PRIMARY KEY,
  folder TEXT NOT NULL,
  started TEXT NOT NULL,
  finished TEXT,
  version TEXT NOT NULL,
  machine TEXT NOT NULL,       -- JSON
  configuration TEXT NOT NULL, -- TOML
  result TEXT                  -- JSON, once finished
) STRICT;
INSERT INTO "runs" VALUES('finished0001','/somewhere/finished0001','2026-11-16T10:35:28+00:00','2026-11-16T10:35:31+00:00','0.1.0','{}','name = ""
rules = "nes-no-rotation-drop"
features = [
    "total-lock-height",
    "well-cells",
    "column-holes",
    "column-transitions-inner",
    "row-transitions-occupied",
    "heights-sum",
    "height-range",
]
plugins = []
pieces_known = 2
fitness = "mean"
record_weight = 0.4
mean_weight = 0.6
restarts = 2
seed = 1

[optimiser]
name = "pso"
iterations = 2
weight_limits = [
    -1.0,
    1.0,
]
particles = 3
inertia = [
    0.9,
    0.4,
]
cognitive = [
    1.5,
    0.5,
]
social = [
    1.0,
    4.0,
]
speed_limits = [
    -0.01,
    0.01,
]

[games]
training = 2
validation = 3
test = 4
until_limit = false
fresh = false
','{"name": "", "rules": "nes-no-rotation-drop", "features": ["total-lock-height", "well-cells", "column-holes", "column-transitions-inner", "row-transitions-occupied", "heights-sum", "height-range"], "plugins": [], "pieces_known": 2, "fitness": "mean", "record_weight": 0.4, "mean_weight": 0.6, "restarts": [{"training_fitness": 13.0, "validation_fitness": 6.0, "validation": {"n": 3, "mean": 6.0, "std": 2.6457513110645907, "sem": 1.5275252316519468, "low": -0.5724106077284281, "high": 12.572410607728429, "min": 4.0, "max": 9.0, "quantiles": {"0.05": 4.1, "0.25": 4.5, "0.5": 5.0, "0.75": 7.0, "0.95": 8.6}}, "stopped_by": "iterations", "weights": {"total-lock-height": 0.05338023, "well-cells": -0.27543268, "column-holes": 0.16812883, "column-transitions-inner": 0.6298435, "row-transitions-occupied": -0.58955723, "heights-sum": -0.9073075, "height-range": -0.9775541}}, {"training_fitness": 0.0, "validation_fitness": 0.0, "validation": {"n": 3, "mean": 0.0, "std": 0.0, "sem": 0.0, "low": 0.0, "high": 0.0, "min": 0.0, "max": 0.0, "quantiles": {"0.05": 0.0, "0.25": 0.0, "0.5": 0.0, "0.75": 0.0, "0.95": 0.0}}, "stopped_by": "iterations", "weights": {"total-lock-height": 0.6149843, "well-cells": -0.67891735, "column-holes": 0.8882998, "column-transitions-inner": -0.39025462, "row-transitions-occupied": 0.9628246, "heights-sum": -0.056588158, "height-range": -0.5541598}}], "seed": 1, "optimiser": {"name": "pso", "iterations": 2, "weight_limits": [-1.0, 1.0], "particles": 3, "inertia": [0.9, 0.4], "cognitive": [1.5, 0.5], "social": [1.0, 4.0], "speed_limits": [-0.01, 0.01]}, "games": {"training": 2, "validation": 3, "test": 4, "until_limit": false, "fresh": false}, "chosen_restart": 0, "weights": {"total-lock-height": 0.05338023, "well-cells": -0.27543268, "column-holes": 0.16812883, "column-transitions-inner": 0.6298435, "row-transitions-occupied": -0.58955723, "heights-sum": -0.9073075, "height-range": -0.9775541}, "validation": {"n": 3, "mean": 6.0, "std": 2.6457513110645907, "sem": 1.5275252316519468, "low": -0.5724106077284281, "high": 12.572410607728429, "min": 4.0, "max": 9.0, "quantiles": {"0.05": 4.1, "0.25": 4.5, "0.5": 5.0, "0.75": 7.0, "0.95": 8.6}}, "test": {"n": 4, "mean": 5.5, "std": 1.2909944487358056, "sem": 0.6454972243679028, "low": 3.4457397432394794, "high": 7.554260256760521, "min": 4.0, "max": 7.0, "quantiles": {"0.05": 4.15, "0.25": 4.75, "0.5": 5.5, "0.75": 6.25, "0.95": 6.85}, "capped": 0}}');
INSERT INTO "runs" VALUES('killed000001','/somewhere/killed000001','2026-11-16T10:35:31+00:00',NULL,'0.1.0','{}','name = ""
rules = "tetrisbot"
features = [
    "piece-top",
    "mean-height",
    "holes",
    "column-transitions",
    "bumpiness",
    "weighted-relative-height",
]
plugins = []
pieces_known = 1
fitness = "score"
record_weight = 0.4
mean_weight = 0.6
restarts = 2
seed = 23

[optimiser]
name = "genetic"
iterations = 12
weight_limits = [
    -5.0,
    5.0,
]
population = 6
selection = "tournament"
tournament_size = 3
crossover = "average"
mutation_chance = 0.1
mutation_step = 0.2
elite = 1

[games]
training = 2
validation = 3
test = 4
max_pieces = 60
until_limit = true
fresh = true
',NULL);
CREATE TABLE test_games (
  run TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
  game INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  pieces INTEGER NOT NULL,
  score INTEGER NOT NULL,
  termination INTEGER NOT NULL,
  PRIMARY KEY (run, game)
) STRICT, WITHOUT ROWID;
INSERT INTO "test_games" VALUES('finished0001',0,4,46,160,2);
INSERT INTO "test_games" VALUES('finished0001',1,5,51,200,2);
INSERT INTO "test_games" VALUES('finished0001',2,6,51,240,2);
INSERT INTO "test_games" VALUES('finished0001',3,7,52,280,2);
CREATE TABLE validations (
  run TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
  restart INTEGER NOT NULL,
  stopped_by TEXT NOT NULL,
  weights TEXT NOT NULL,       -- JSON
  lines TEXT NOT NULL,         -- JSON, of each game
  PRIMARY KEY (run, restart)
) STRICT, WITHOUT ROWID;
INSERT INTO "validations" VALUES('finished0001',0,'iterations','[0.05338023, -0.27543268, 0.16812883, 0.6298435, -0.58955723, -0.9073075, -0.9775541]','[5, 4, 9]');
INSERT INTO "validations" VALUES('finished0001',1,'iterations','[0.6149843, -0.67891735, 0.8882998, -0.39025462, 0.9628246, -0.056588158, -0.5541598]','[0, 0, 0]');
INSERT INTO "validations" VALUES('killed000001',0,'piece limit','[2.4035285, -2.1599016, -3.7143147, -2.4145265, -1.4947542, -3.2057695]','[10000060, 11000060, 11000060]');
COMMIT;
