/* The table of maps. */
#include "laws/maps.h"

const MapTrait map_traits[MAP_KINDS] = {
    [MAP_MASS] = {"mass", 1, MAP_REBUILDS_MATRIX},
    [MAP_STRETCH] = {"stretch", 1, MAP_REBUILDS_MATRIX},
    [MAP_BEND] = {"bend", 1, MAP_REBUILDS_MATRIX},
    [MAP_SIZE] = {"size", 1, MAP_REBUILDS_MATRIX | MAP_REBUILDS_ROWS},
    [MAP_FRICTION] = {"friction", 1, 0},
    [MAP_DAMPING] = {"damping", 1, MAP_REBUILDS_MATRIX},
    [MAP_THICKNESS] = {"thickness", 1, 0},
};
