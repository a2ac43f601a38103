/* The response curves of springs. */
#include "laws/response.h"

const Response response_linear = {.count = 1,
                                  .bound = 1.0,
                                  .square = true,
                                  .segment = {{.from = 0.0, .slope = 1.0, .origin = 1.0}}};

const Response response_tension_only = {.count = 2,
                                        .bound = 1.0,
                                        .square = true,
                                        .segment = {{.from = 0.0, .slope = 0.0, .origin = 1.0},
                                                    {.from = 1.0, .slope = 1.0, .origin = 1.0}}};
