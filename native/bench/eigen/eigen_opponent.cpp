#include "eigen/eigen_opponent.h"

#include <Eigen/SparseCholesky>
#include <new>
#include <vector>

using Sparse = Eigen::SparseMatrix<double>;
using Columns = Eigen::Matrix<double, Eigen::Dynamic, 3>;

struct EigenOpponent {
    Eigen::SimplicialLLT<Sparse, Eigen::Lower, Eigen::NaturalOrdering<int>> factor;
    std::vector<int> order;
    Columns b, x;
};

/* The lower half, its unknowns in the order of elimination. */
static Sparse reordered(int size, const int *start, const int *column, const double *value,
                        const std::vector<int> &order) {
    std::vector<int> place(order.size());
    std::vector<Eigen::Triplet<double>> entries;
    for (int k = 0; k < size; ++k) {
        place[order[k]] = k;
    }
    for (int i = 0; i < size; ++i) {
        for (int p = start[i]; p < start[i + 1]; ++p) {
            if (place[i] >= place[column[p]]) {
                entries.emplace_back(place[i], place[column[p]], value[p]);
            }
        }
    }
    Sparse matrix(size, size);
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
}

extern "C" EigenOpponent *eigen_open(int size, const int *start, const int *column,
                                     const double *value, const int *order) {
    EigenOpponent *opponent = nullptr;
    try {
        opponent = new EigenOpponent;
        opponent->order.assign(order, order + size);
        opponent->b.setZero(size, 3);
        opponent->x.setZero(size, 3);
        opponent->factor.compute(reordered(size, start, column, value, opponent->order));
        if (opponent->factor.info() == Eigen::Success) {
            return opponent;
        }
    } catch (const std::bad_alloc &) {
    }
    delete opponent;
    return nullptr;
}

extern "C" void eigen_close(EigenOpponent *opponent) { delete opponent; }

extern "C" void eigen_load(EigenOpponent *opponent, const double *b) {
    for (Eigen::Index k = 0; k < opponent->b.rows(); ++k) {
        for (int axis = 0; axis < 3; ++axis) {
            opponent->b(k, axis) = b[3 * opponent->order[k] + axis];
        }
    }
}

extern "C" void eigen_solve(EigenOpponent *opponent) {
    opponent->x = opponent->factor.solve(opponent->b);
}

extern "C" void eigen_read(const EigenOpponent *opponent, double *x) {
    for (Eigen::Index k = 0; k < opponent->x.rows(); ++k) {
        for (int axis = 0; axis < 3; ++axis) {
            x[3 * opponent->order[k] + axis] = opponent->x(k, axis);
        }
    }
}
