// The kernel of smoothed particle hydrodynamics: the cubic B-spline of Monaghan and Lattanzio
// (1985) in 3-D. Its integral over space is 1, and its support is 2 h.
#pragma once

namespace vicinal::sim {

class CubicSpline {
  public:
    explicit CubicSpline(double h)
        : h_(h), per_h_(1 / h), scale_(1 / (3.14159265358979323846 * h * h * h)) {}

    double support() const { return 2 * h_; }
    double h() const { return h_; }

    double value(double distance) const {
        const double q = distance * per_h_;
        if (q < 1) return scale_ * (1 - q * q * (1.5 - 0.75 * q));
        if (q < 2) return scale_ * 0.25 * (2 - q) * (2 - q) * (2 - q);
        return 0;
    }

    // The derivative with respect to the distance, divided by the distance. Multiplied by the
    // vector from j to i it is the gradient at i. Finite at distance 0.
    double slope_over_distance(double distance) const {
        const double q = distance * per_h_, scale = scale_ * per_h_ * per_h_;
        if (q < 1) return scale * (2.25 * q - 3);
        if (q < 2) return scale * -0.75 * (2 - q) * (2 - q) / q;
        return 0;
    }

  private:
    double h_, per_h_, scale_;
};

}  // namespace vicinal::sim
