PRAGMA user_version = 2;
BEGIN TRANSACTION;
CREATE TABLE attempts (
  id INTEGER PRIMARY KEY,
  visitor TEXT NOT NULL,
  puzzle TEXT NOT NULL,
  solved INTEGER NOT NULL,     -- 1 or 0
  rating REAL NOT NULL,        -- of the visitor, after it
  tried TEXT NOT NULL
) STRICT;
INSERT INTO "attempts" VALUES(1,'v','p1',1,1234.5,'2026-11-19T02:16:10+00:00');
CREATE TABLE boards (
  game TEXT NOT NULL,          -- tetris or hopeless
  name TEXT NOT NULL,
  text TEXT NOT NULL,
  saved TEXT NOT NULL,
  PRIMARY KEY (game, name)
) STRICT, WITHOUT ROWID;
INSERT INTO "boards" VALUES('hopeless','mine','24422414412333311233
23414214443122222243
12444234323343414121
43123211214142141133
22441144332312233133
44221231123311331341
34123122444323144421
22244412442232313144
42122413123111112423
31311222234213213343','2026-11-19T02:16:10+00:00');
INSERT INTO "boards" VALUES('tetris','well','#...
##.#','2026-11-19T02:16:10+00:00');
CREATE TABLE copies (
  run TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
  name TEXT NOT NULL,          -- of a file in the run's folder: rules, plugins or an agent of the user's own
  digest TEXT NOT NULL,        -- SHA-256 of what it held when the run began
  PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;
INSERT INTO "copies" VALUES('4204de8842d2','plugin-1.py','6ac74e4486349289fe3acf226841643adc402fd964c6e2c9d28b20f12c7d92c1');
CREATE TABLE high_scores (
  id INTEGER PRIMARY KEY,
  game TEXT NOT NULL,
  name TEXT NOT NULL,
  score INTEGER NOT NULL,
  played TEXT NOT NULL
) STRICT;
INSERT INTO "high_scores" VALUES(1,'hopeless','ann',1234,'2026-11-19T02:16:10+00:00');
INSERT INTO "high_scores" VALUES(2,'nes','bea',41,'2026-11-19T02:16:10+00:00');
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
  survived INTEGER,            -- 1 where the piece limit ended all training games of a candidate; unknown in format 1
  PRIMARY KEY (run, restart, iteration)
) STRICT, WITHOUT ROWID;
INSERT INTO "iterations" VALUES('4204de8842d2',0,0,0.0,0.0,0.0,3,1.00202139980001447838e+01,'78aa75e83d818b1e',X'000000000000000000000000000000000000000000000000',0);
INSERT INTO "iterations" VALUES('4204de8842d2',0,1,0.0,0.0,0.0,3,4.12153299998863076325e-03,'e28d9a573b94414f',X'000000000000000000000000000000000000000000000000',0);
INSERT INTO "iterations" VALUES('4cd1359c48e2',0,0,500023.0,500023.0,0.0,2,2.95751827999993111006e-01,'480cd898c7acbafc',X'00000000DC841E41',0);
INSERT INTO "iterations" VALUES('4cd1359c48e2',0,1,500023.0,500023.0,0.0,2,0.477256903000125,'e97a767749367df9',X'00000000DC841E41',0);
INSERT INTO "iterations" VALUES('6bd7bb1870f0',0,0,500023.0,500023.0,0.0,2,9.40241539999533415539e-02,'480cd898c7acbafc',X'00000000DC841E41',0);
INSERT INTO "iterations" VALUES('6bd7bb1870f0',0,1,500023.0,500023.0,0.0,2,2.80939798999952472513e-01,'e97a767749367df9',X'00000000DC841E41',0);
INSERT INTO "iterations" VALUES('71dd39b8d257',0,0,0.02,0.005,8.66025403784438652099e-03,1600,3.44492259000162448501e-01,'018b6d92e3e4755e',X'000000000000000000000000000000007B14AE47E17A943F0000000000000000',0);
INSERT INTO "iterations" VALUES('71dd39b8d257',0,1,0.0275,0.006875,1.19078493020360314663e-02,1600,4.82528641000044444808e-01,'9e492e42e4563d03',X'00000000000000000000000000000000295C8FC2F5289C3F0000000000000000',0);
INSERT INTO "iterations" VALUES('73acf8d3180d',0,0,0.0,0.0,0.0,8,2.40439090000563737703e-02,'777f732bdd8304ee',X'0000000000000000000000000000000000000000000000000000000000000000',0);
INSERT INTO "iterations" VALUES('73acf8d3180d',0,1,0.0,0.0,0.0,8,3.1394149998504872201e-03,'9707a67470b8a254',X'0000000000000000000000000000000000000000000000000000000000000000',0);
INSERT INTO "iterations" VALUES('73acf8d3180d',0,2,0.0,0.0,0.0,8,1.2618354000096587697e-02,'43d139cf7db4cd84',X'0000000000000000000000000000000000000000000000000000000000000000',0);
INSERT INTO "iterations" VALUES('73acf8d3180d',1,0,10.5,3.375,4.29207117834734930283e+00,8,1.89486510000733687775e-02,'7c795524f90037ff',X'0000000000002540000000000000084000000000000000000000000000000000',0);
INSERT INTO "iterations" VALUES('73acf8d3180d',1,1,10.5,3.5,3.10241841149771424568e+00,8,8.55800699991959845647e-03,'dffc2e1570be3e2c',X'0000000000000000000000000000084000000000000004400000000000002140',0);
INSERT INTO "iterations" VALUES('73acf8d3180d',1,2,17.0,8.875,6.49398760393026908133e+00,8,1.66320419998555735219e-02,'916399362d23f5f8',X'0000000000003140000000000000044000000000000004400000000000002B40',0);
CREATE TABLE learned (
  run TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
  restart INTEGER NOT NULL,
  iteration INTEGER NOT NULL,
  loss REAL NOT NULL,          -- the mean squared error of the predictions in this stage
  value REAL NOT NULL,         -- their mean
  PRIMARY KEY (run, restart, iteration)
) STRICT, WITHOUT ROWID;
INSERT INTO "learned" VALUES('4cd1359c48e2',0,0,7.02335495478488142095e-02,-1.24150651925931578695e-02);
INSERT INTO "learned" VALUES('4cd1359c48e2',0,1,4.44905017441435315234e-03,4.66373365072800596942e-02);
INSERT INTO "learned" VALUES('6bd7bb1870f0',0,0,7.02335495478488142095e-02,-1.24150651925931578695e-02);
INSERT INTO "learned" VALUES('6bd7bb1870f0',0,1,4.44905017441435315234e-03,4.66373365072800596942e-02);
CREATE TABLE replays (
  id TEXT PRIMARY KEY,         -- a digest of the text
  visitor TEXT NOT NULL,       -- a browser of the app's; empty for none
  rules TEXT NOT NULL,
  player TEXT NOT NULL,
  pieces INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  score INTEGER NOT NULL,
  played TEXT NOT NULL,
  text TEXT NOT NULL           -- docs/bots.md has the format
) STRICT, WITHOUT ROWID;
INSERT INTO "replays" VALUES('0e76d5913bac','v','standard','lee',12,3,0,'2026-11-19T02:16:10+00:00','{"format": "blockfall-replay", "version": 1, "rules": "standard", "seed": 7, "number": 0, "agent": "lee"}
{"piece": "L", "cells": [[9, 1], [7, 0], [8, 0], [9, 0]], "spin": "none"}
{"piece": "J", "cells": [[0, 1], [0, 0], [1, 0], [2, 0]], "spin": "none"}
{"piece": "I", "cells": [[3, 0], [4, 0], [5, 0], [6, 0]], "spin": "none"}
{"piece": "I", "cells": [[1, 0], [2, 0], [3, 0], [4, 0]], "spin": "none"}
{"piece": "T", "cells": [[6, 1], [5, 0], [6, 0], [7, 0]], "spin": "none"}
{"piece": "J", "cells": [[8, 2], [9, 2], [8, 1], [8, 0]], "spin": "none"}
{"piece": "O", "cells": [[0, 1], [1, 1], [0, 0], [1, 0]], "spin": "none"}
{"piece": "L", "cells": [[4, 1], [2, 0], [3, 0], [4, 0]], "spin": "none"}
{"piece": "I", "cells": [[5, 3], [5, 2], [5, 1], [5, 0]], "spin": "none"}
{"piece": "I", "cells": [[6, 4], [6, 3], [6, 2], [6, 1]], "spin": "none"}
{"piece": "J", "cells": [[7, 2], [8, 2], [7, 1], [7, 0]], "spin": "none"}
{"piece": "J", "cells": [[3, 3], [3, 2], [2, 1], [3, 1]], "spin": "none"}
{"end": "running", "pieces": 12, "lines": 3, "score": 3}
');
CREATE TABLE run_notes (
  run TEXT PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
  note TEXT NOT NULL,
  tags TEXT NOT NULL           -- JSON, a list of words
) STRICT, WITHOUT ROWID;
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
INSERT INTO "runs" VALUES('73acf8d3180d','FOLDER/runs/finished','2026-11-19T02:05:04+00:00','2026-11-19T02:05:11+00:00','0.1.0','{"system": "Linux", "processor": "a processor", "cores": 2, "simd": "avx2", "python": "3.11.7", "numpy": "2.4.6"}','name = "small"
rules = "nes-no-rotation"
features = [
    "total-lock-height",
    "well-cells",
    "column-holes",
    "column-transitions-inner",
    "row-transitions-occupied",
    "heights-sum",
    "height-range",
    "lines-cleared",
]
plugins = []
pieces_known = 1
fitness = "weighted"
record_weight = 2.0
mean_weight = 1.0
restarts = 2
seed = 3

[guard]
max_height = 10
bumpiness = 2

[unknown_piece]
best = 2
loss = 50.0

[optimiser]
name = "cma-es"
iterations = 3
patience = 30
weight_limits = [
    -1.0,
    1.0,
]
population = 4
step = 0.5

[games]
training = 2
validation = 4
test = 8
max_pieces = 200
max_test_pieces = 300
until_limit = true
fresh = true
','{"name": "small", "rules": "nes-no-rotation", "features": ["total-lock-height", "well-cells", "column-holes", "column-transitions-inner", "row-transitions-occupied", "heights-sum", "height-range", "lines-cleared"], "plugins": [], "pieces_known": 1, "guard": {"max_height": 10, "bumpiness": 2}, "unknown_piece": {"best": 2, "loss": 50.0}, "fitness": "weighted", "record_weight": 2.0, "mean_weight": 1.0, "restarts": [{"training_fitness": 0.0, "validation_fitness": 0.0, "validation": {"n": 4, "mean": 0.0, "std": 0.0, "sem": 0.0, "low": 0.0, "high": 0.0, "min": 0.0, "max": 0.0, "quantiles": {"0.05": 0.0, "0.25": 0.0, "0.5": 0.0, "0.75": 0.0, "0.95": 0.0}}, "stopped_by": "iterations", "weights": {"total-lock-height": 0.4260185, "well-cells": 0.056723088, "column-holes": 0.06330329, "column-transitions-inner": 0.18662766, "row-transitions-occupied": 0.26839215, "heights-sum": 0.01183826, "height-range": 0.026245419, "lines-cleared": 0.45211723}}, {"training_fitness": 17.0, "validation_fitness": 14.5, "validation": {"n": 4, "mean": 2.5, "std": 2.6457513110645907, "sem": 1.3228756555322954, "low": -1.7099807422985158, "high": 6.709980742298516, "min": 0.0, "max": 6.0, "quantiles": {"0.05": 0.15000000000000002, "0.25": 0.75, "0.5": 2.0, "0.75": 3.75, "0.95": 5.549999999999999}}, "stopped_by": "iterations", "weights": {"total-lock-height": 0.2536407, "well-cells": -0.17928226, "column-holes": -0.12847786, "column-transitions-inner": 0.10653225, "row-transitions-occupied": -0.7196268, "heights-sum": -0.7349912, "height-range": 0.5143579, "lines-cleared": 0.48218215}}], "seed": 3, "optimiser": {"name": "cma-es", "iterations": 3, "patience": 30, "weight_limits": [-1.0, 1.0], "population": 4, "step": 0.5}, "games": {"training": 2, "validation": 4, "test": 8, "max_pieces": 200, "max_test_pieces": 300, "until_limit": true, "fresh": true}, "chosen_restart": 1, "weights": {"total-lock-height": 0.2536407, "well-cells": -0.17928226, "column-holes": -0.12847786, "column-transitions-inner": 0.10653225, "row-transitions-occupied": -0.7196268, "heights-sum": -0.7349912, "height-range": 0.5143579, "lines-cleared": 0.48218215}, "validation": {"n": 4, "mean": 2.5, "std": 2.6457513110645907, "sem": 1.3228756555322954, "low": -1.7099807422985158, "high": 6.709980742298516, "min": 0.0, "max": 6.0, "quantiles": {"0.05": 0.15000000000000002, "0.25": 0.75, "0.5": 2.0, "0.75": 3.75, "0.95": 5.549999999999999}}, "test": {"n": 8, "mean": 3.75, "std": 2.815771906346718, "sem": 0.9955257046261682, "low": 1.3959557757569665, "high": 6.104044224243033, "min": 1.0, "max": 9.0, "quantiles": {"0.05": 1.0, "0.25": 1.75, "0.5": 3.0, "0.75": 5.25, "0.95": 7.949999999999998}, "capped": 0}}');
INSERT INTO "runs" VALUES('4204de8842d2','FOLDER/runs/own','2026-11-19T02:05:19+00:00','2026-11-19T02:05:29+00:00','0.1.0','{"system": "Linux", "processor": "a processor", "cores": 2, "simd": "avx2", "python": "3.11.7", "numpy": "2.4.6"}','name = ""
rules = "thin"
features = [
    "total-lock-height",
    "well-cells",
    "column-holes",
    "column-transitions-inner",
    "row-transitions-occupied",
    "heights-sum",
    "height-range",
    "vertical-mass",
    "horizontal-mass",
    "fill-ratio",
    "board-entropy",
    "edge-covered",
    "largest-area",
    "smallest-area",
    "projection-potential",
    "symmetry",
    "possible-positions",
    "first-column",
]
plugins = [
    "plugin-1.py",
]
pieces_known = 1
fitness = "mean"
record_weight = 0.4
mean_weight = 0.6
restarts = 1
seed = 5

[optimiser]
name = "draws"
iterations = 2
weight_limits = [
    -1.0,
    1.0,
]
population = 3
luck = 0.5

[games]
training = 1
validation = 2
test = 4
until_limit = false
fresh = false
','{"name": "", "rules": "thin", "features": ["total-lock-height", "well-cells", "column-holes", "column-transitions-inner", "row-transitions-occupied", "heights-sum", "height-range", "vertical-mass", "horizontal-mass", "fill-ratio", "board-entropy", "edge-covered", "largest-area", "smallest-area", "projection-potential", "symmetry", "possible-positions", "first-column"], "plugins": ["plugin-1.py"], "pieces_known": 1, "fitness": "mean", "record_weight": 0.4, "mean_weight": 0.6, "restarts": [{"training_fitness": 0.0, "validation_fitness": 0.0, "validation": {"n": 2, "mean": 0.0, "std": 0.0, "sem": 0.0, "low": 0.0, "high": 0.0, "min": 0.0, "max": 0.0, "quantiles": {"0.05": 0.0, "0.25": 0.0, "0.5": 0.0, "0.75": 0.0, "0.95": 0.0}}, "stopped_by": "iterations", "weights": {"total-lock-height": 0.71515816, "well-cells": 0.85018426, "column-holes": -0.15725665, "column-transitions-inner": -0.6583724, "row-transitions-occupied": 0.073201425, "heights-sum": 0.13939479, "height-range": -0.4494184, "vertical-mass": 0.5953029, "horizontal-mass": 0.7643494, "fill-ratio": 0.71960247, "board-entropy": -0.59530246, "edge-covered": -0.6997869, "largest-area": 0.6455402, "smallest-area": -0.4235963, "projection-potential": -0.7996031, "symmetry": -0.8703522, "possible-positions": 0.3836267, "first-column": 0.30290726}}], "seed": 5, "optimiser": {"name": "draws", "iterations": 2, "weight_limits": [-1.0, 1.0], "population": 3, "luck": 0.5}, "games": {"training": 1, "validation": 2, "test": 4, "until_limit": false, "fresh": false}, "chosen_restart": 0, "weights": {"total-lock-height": 0.71515816, "well-cells": 0.85018426, "column-holes": -0.15725665, "column-transitions-inner": -0.6583724, "row-transitions-occupied": 0.073201425, "heights-sum": 0.13939479, "height-range": -0.4494184, "vertical-mass": 0.5953029, "horizontal-mass": 0.7643494, "fill-ratio": 0.71960247, "board-entropy": -0.59530246, "edge-covered": -0.6997869, "largest-area": 0.6455402, "smallest-area": -0.4235963, "projection-potential": -0.7996031, "symmetry": -0.8703522, "possible-positions": 0.3836267, "first-column": 0.30290726}, "validation": {"n": 2, "mean": 0.0, "std": 0.0, "sem": 0.0, "low": 0.0, "high": 0.0, "min": 0.0, "max": 0.0, "quantiles": {"0.05": 0.0, "0.25": 0.0, "0.5": 0.0, "0.75": 0.0, "0.95": 0.0}}, "test": {"n": 4, "mean": 0.0, "std": 0.0, "sem": 0.0, "low": 0.0, "high": 0.0, "min": 0.0, "max": 0.0, "quantiles": {"0.05": 0.0, "0.25": 0.0, "0.5": 0.0, "0.75": 0.0, "0.95": 0.0}, "capped": 0}}');
INSERT INTO "runs" VALUES('6bd7bb1870f0','FOLDER/runs/learned','2026-11-19T02:05:36+00:00','2026-11-19T02:05:37+00:00','0.1.0','{"system": "Linux", "processor": "a processor", "cores": 2, "simd": "avx2", "python": "3.11.7", "numpy": "2.4.6"}','name = "small-network"
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
hidden = [
    4,
]
pieces_known = 1
fitness = "score"
record_weight = 0.4
mean_weight = 0.6
restarts = 1
seed = 1

[learning]
name = "data2021"
actions = 4000
stages = 2
warm_up = 1000
discount = 0.95
max_pieces = 5000
learning_rate = 0.001
queue = 1000000
exploration = 0.0
train_every = 5
sample = 128
batch = 32
epochs = 10
steps = 1
target_every = 0
own_reward = false
line_reward = [
    1.0,
    2.0,
    3.0,
    4.0,
]
piece_reward = 0.0
end_reward = 0.0

[games]
training = 2
validation = 4
test = 8
max_pieces = 200
max_test_pieces = 250
until_limit = false
fresh = false
','{"name": "small-network", "rules": "tetrisbot", "features": ["piece-top", "mean-height", "holes", "column-transitions", "bumpiness", "weighted-relative-height"], "plugins": [], "hidden": [4], "pieces_known": 1, "fitness": "score", "record_weight": 0.4, "mean_weight": 0.6, "restarts": [{"training_fitness": 500023.0, "validation_fitness": 250023.25, "validation": {"n": 4, "mean": 250023.25, "std": 500003.83334022213, "sem": 250001.91667011107, "low": -545594.4260206403, "high": 1045640.9260206403, "min": 19.0, "max": 1000029.0, "quantiles": {"0.05": 19.15, "0.25": 19.75, "0.5": 22.5, "0.75": 250026.0, "0.95": 850028.3999999997}, "lines": {"n": 4, "mean": 0.25, "std": 0.5, "sem": 0.25, "low": -0.5456115763209269, "high": 1.045611576320927, "min": 0.0, "max": 1.0, "quantiles": {"0.05": 0.0, "0.25": 0.0, "0.5": 0.0, "0.75": 0.25, "0.95": 0.8499999999999996}}, "points": {"n": 4, "mean": 250023.25, "std": 500003.83334022213, "sem": 250001.91667011107, "low": -545594.4260206403, "high": 1045640.9260206403, "min": 19.0, "max": 1000029.0, "quantiles": {"0.05": 19.15, "0.25": 19.75, "0.5": 22.5, "0.75": 250026.0, "0.95": 850028.3999999997}}}, "stopped_by": "actions", "network": {"inputs": ["piece-top", "mean-height", "holes", "column-transitions", "bumpiness", "weighted-relative-height"], "layers": [{"weights": [[-0.6711075, -0.6071582, -0.8775016, 0.4749156], [-0.39488038, -0.3320679, -0.3834621, -0.055630747], [0.08152332, 0.51025844, 0.28796896, -0.5673389], [-0.39892098, -0.12198315, -0.12797877, -0.21334924], [0.13023204, 0.34553143, -0.53817934, -0.7027974], [-0.75721014, -0.6892475, -0.0473201, -0.09456724]], "biases": [0.0, -0.00280519, -0.15168253, 0.0]}, {"weights": [[-0.37558058], [-0.0016724454], [-0.44320625], [-0.80613595]], "biases": [0.07102961]}]}}], "seed": 1, "learning": {"name": "data2021", "actions": 4000, "stages": 2, "warm_up": 1000, "discount": 0.95, "max_pieces": 5000, "learning_rate": 0.001, "queue": 1000000, "exploration": 0.0, "train_every": 5, "sample": 128, "batch": 32, "epochs": 10, "steps": 1, "target_every": 0, "own_reward": false, "line_reward": [1.0, 2.0, 3.0, 4.0], "piece_reward": 0.0, "end_reward": 0.0}, "games": {"training": 2, "validation": 4, "test": 8, "max_pieces": 200, "max_test_pieces": 250, "until_limit": false, "fresh": false}, "chosen_restart": 0, "network": {"inputs": ["piece-top", "mean-height", "holes", "column-transitions", "bumpiness", "weighted-relative-height"], "layers": [{"weights": [[-0.6711075, -0.6071582, -0.8775016, 0.4749156], [-0.39488038, -0.3320679, -0.3834621, -0.055630747], [0.08152332, 0.51025844, 0.28796896, -0.5673389], [-0.39892098, -0.12198315, -0.12797877, -0.21334924], [0.13023204, 0.34553143, -0.53817934, -0.7027974], [-0.75721014, -0.6892475, -0.0473201, -0.09456724]], "biases": [0.0, -0.00280519, -0.15168253, 0.0]}, {"weights": [[-0.37558058], [-0.0016724454], [-0.44320625], [-0.80613595]], "biases": [0.07102961]}]}, "validation": {"n": 4, "mean": 250023.25, "std": 500003.83334022213, "sem": 250001.91667011107, "low": -545594.4260206403, "high": 1045640.9260206403, "min": 19.0, "max": 1000029.0, "quantiles": {"0.05": 19.15, "0.25": 19.75, "0.5": 22.5, "0.75": 250026.0, "0.95": 850028.3999999997}, "lines": {"n": 4, "mean": 0.25, "std": 0.5, "sem": 0.25, "low": -0.5456115763209269, "high": 1.045611576320927, "min": 0.0, "max": 1.0, "quantiles": {"0.05": 0.0, "0.25": 0.0, "0.5": 0.0, "0.75": 0.25, "0.95": 0.8499999999999996}}, "points": {"n": 4, "mean": 250023.25, "std": 500003.83334022213, "sem": 250001.91667011107, "low": -545594.4260206403, "high": 1045640.9260206403, "min": 19.0, "max": 1000029.0, "quantiles": {"0.05": 19.15, "0.25": 19.75, "0.5": 22.5, "0.75": 250026.0, "0.95": 850028.3999999997}}}, "test": {"n": 8, "mean": 0.125, "std": 0.3535533905932738, "sem": 0.125, "low": -0.17057803144909822, "high": 0.4205780314490982, "min": 0.0, "max": 1.0, "quantiles": {"0.05": 0.0, "0.25": 0.0, "0.5": 0.0, "0.75": 0.0, "0.95": 0.6499999999999995}, "capped": 0, "lines": {"n": 8, "mean": 0.125, "std": 0.3535533905932738, "sem": 0.125, "low": -0.17057803144909822, "high": 0.4205780314490982, "min": 0.0, "max": 1.0, "quantiles": {"0.05": 0.0, "0.25": 0.0, "0.5": 0.0, "0.75": 0.0, "0.95": 0.6499999999999995}}, "points": {"n": 8, "mean": 125021.75, "std": 353554.29973818327, "sem": 125000.32143126529, "low": -170557.04151326336, "high": 420600.54151326336, "min": 18.0, "max": 1000024.0, "quantiles": {"0.05": 18.35, "0.25": 19.75, "0.5": 22.5, "0.75": 23.5, "0.95": 650024.3499999994}}}, "score": {"n": 8, "mean": 125021.75, "std": 353554.29973818327, "sem": 125000.32143126529, "low": -170557.04151326336, "high": 420600.54151326336, "min": 18.0, "max": 1000024.0, "quantiles": {"0.05": 18.35, "0.25": 19.75, "0.5": 22.5, "0.75": 23.5, "0.95": 650024.3499999994}}}');
INSERT INTO "runs" VALUES('71dd39b8d257','FOLDER/runs/stopped','2026-11-19T02:17:01+00:00',NULL,'0.1.0','{"system": "Linux", "processor": "a processor", "cores": 2, "simd": "avx2", "python": "3.11.7", "numpy": "2.4.6"}','name = "stopped"
rules = "nes-no-rotation"
features = [
    "total-lock-height",
    "well-cells",
    "column-holes",
    "column-transitions-inner",
    "row-transitions-occupied",
    "heights-sum",
    "height-range",
    "vertical-mass",
    "horizontal-mass",
    "fill-ratio",
    "board-entropy",
    "edge-covered",
    "largest-area",
    "smallest-area",
    "projection-potential",
    "symmetry",
    "possible-positions",
]
plugins = []
pieces_known = 1
fitness = "mean"
record_weight = 0.4
mean_weight = 0.6
restarts = 1
seed = 2

[optimiser]
name = "pso"
iterations = 6
weight_limits = [
    -1.0,
    1.0,
]
particles = 4
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
training = 400
validation = 4
test = 8
until_limit = false
fresh = false
',NULL);
INSERT INTO "runs" VALUES('4cd1359c48e2','FOLDER/runs/stopped-learning','2026-11-19T02:17:08+00:00',NULL,'0.1.0','{"system": "Linux", "processor": "a processor", "cores": 2, "simd": "avx2", "python": "3.11.7", "numpy": "2.4.6"}','name = "stopped-learning"
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
hidden = [
    4,
]
pieces_known = 1
fitness = "score"
record_weight = 0.4
mean_weight = 0.6
restarts = 1
seed = 1

[learning]
name = "data2021"
actions = 40000
stages = 20
warm_up = 1000
discount = 0.95
max_pieces = 5000
learning_rate = 0.001
queue = 1000000
exploration = 0.0
train_every = 5
sample = 128
batch = 32
epochs = 10
steps = 1
target_every = 0
own_reward = false
line_reward = [
    1.0,
    2.0,
    3.0,
    4.0,
]
piece_reward = 0.0
end_reward = 0.0

[games]
training = 2
validation = 4
test = 8
max_pieces = 200
max_test_pieces = 250
until_limit = false
fresh = false
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
INSERT INTO "test_games" VALUES('4204de8842d2',0,0,10,0,2);
INSERT INTO "test_games" VALUES('4204de8842d2',1,0,8,0,2);
INSERT INTO "test_games" VALUES('4204de8842d2',2,0,8,0,2);
INSERT INTO "test_games" VALUES('4204de8842d2',3,0,7,0,2);
INSERT INTO "test_games" VALUES('6bd7bb1870f0',0,1,25,1000024,1);
INSERT INTO "test_games" VALUES('6bd7bb1870f0',1,0,26,25,1);
INSERT INTO "test_games" VALUES('6bd7bb1870f0',2,0,21,20,1);
INSERT INTO "test_games" VALUES('6bd7bb1870f0',3,0,23,22,1);
INSERT INTO "test_games" VALUES('6bd7bb1870f0',4,0,20,19,1);
INSERT INTO "test_games" VALUES('6bd7bb1870f0',5,0,24,23,1);
INSERT INTO "test_games" VALUES('6bd7bb1870f0',6,0,24,23,1);
INSERT INTO "test_games" VALUES('6bd7bb1870f0',7,0,19,18,1);
INSERT INTO "test_games" VALUES('73acf8d3180d',0,5,44,200,2);
INSERT INTO "test_games" VALUES('73acf8d3180d',1,1,35,40,2);
INSERT INTO "test_games" VALUES('73acf8d3180d',2,4,42,160,2);
INSERT INTO "test_games" VALUES('73acf8d3180d',3,1,31,40,2);
INSERT INTO "test_games" VALUES('73acf8d3180d',4,6,47,240,2);
INSERT INTO "test_games" VALUES('73acf8d3180d',5,2,37,80,2);
INSERT INTO "test_games" VALUES('73acf8d3180d',6,9,51,380,2);
INSERT INTO "test_games" VALUES('73acf8d3180d',7,2,35,80,2);
CREATE TABLE validations (
  run TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
  restart INTEGER NOT NULL,
  stopped_by TEXT NOT NULL,
  weights TEXT NOT NULL,       -- JSON: numbers, or the key of an agent's file that names a file in the run's folder
  lines TEXT,                  -- JSON, of each game; format 1 kept either the lines or the points
  points TEXT,                 -- JSON, of each game
  capped INTEGER,              -- games that the piece limit ended; unknown in format 1
  PRIMARY KEY (run, restart)
) STRICT, WITHOUT ROWID;
INSERT INTO "validations" VALUES('4204de8842d2',0,'iterations','[0.71515816, 0.85018426, -0.15725665, -0.6583724, 0.073201425, 0.13939479, -0.4494184, 0.5953029, 0.7643494, 0.71960247, -0.59530246, -0.6997869, 0.6455402, -0.4235963, -0.7996031, -0.8703522, 0.3836267, 0.30290726]','[0, 0]','[0, 0]',0);
INSERT INTO "validations" VALUES('6bd7bb1870f0',0,'actions','[-0.6711075, -0.6071582, -0.8775016, 0.4749156, -0.39488038, -0.3320679, -0.3834621, -0.055630747, 0.08152332, 0.51025844, 0.28796896, -0.5673389, -0.39892098, -0.12198315, -0.12797877, -0.21334924, 0.13023204, 0.34553143, -0.53817934, -0.7027974, -0.75721014, -0.6892475, -0.0473201, -0.09456724, 0.0, -0.00280519, -0.15168253, 0.0, -0.37558058, -0.0016724454, -0.44320625, -0.80613595, 0.07102961]','[0, 1, 0, 0]','[19, 1000029, 25, 20]',0);
INSERT INTO "validations" VALUES('73acf8d3180d',0,'iterations','[0.4260185, 0.056723088, 0.06330329, 0.18662766, 0.26839215, 0.01183826, 0.026245419, 0.45211723]','[0, 0, 0, 0]','[0, 0, 0, 0]',0);
INSERT INTO "validations" VALUES('73acf8d3180d',1,'iterations','[0.2536407, -0.17928226, -0.12847786, 0.10653225, -0.7196268, -0.7349912, 0.5143579, 0.48218215]','[1, 3, 6, 0]','[40, 120, 240, 0]',0);
COMMIT;
