// Includes all public headers.
#pragma once

#include <vicinal/array.hpp>
#include <vicinal/batch.hpp>
#include <vicinal/bodies.hpp>
#include <vicinal/boxes_of.hpp>
#include <vicinal/changes.hpp>
#include <vicinal/domain.hpp>
#include <vicinal/error.hpp>
#include <vicinal/finder.hpp>
#include <vicinal/methods.hpp>
#include <vicinal/pairs.hpp>
#include <vicinal/parallel.hpp>
#include <vicinal/parts.hpp>
#include <vicinal/report.hpp>
#include <vicinal/types.hpp>
#include <vicinal/version.hpp>
#include <vicinal/views.hpp>
#include <vicinal/world.hpp>
