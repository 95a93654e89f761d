from fusedfacts.figures.error_map import error_map as error_map
from fusedfacts.judging.api import assert_attention as assert_attention
from fusedfacts.judging.api import judge as judge
from fusedfacts.judging.recipe import Recipe as Recipe
from fusedfacts.judging.verdict import Judgement as Judgement
from fusedfacts.judging.watch import watch as watch
