package score

import (
	"cmp"
	"math"
	"slices"
)

// edge reports that a finding (row) fits a defect (column).
type edge struct {
	row, col int
	likeness
}

// maxAssign is the most steps for one group of connected findings and defects, a few tenths of a second. A
// larger group is paired greedily, and the report counts such groups.
const maxAssign = 50_000_000

// assigned is the result of pairing.
type assigned struct {
	of     []int // column of each row, or -1
	greedy int   // groups too large for an optimal pairing
}

// assign gives each row at most one column and each column at most one row. It makes as many pairs as
// possible, and among these solutions picks one with the greatest sum of weights. It solves connected
// groups separately, by the Hungarian method (Kuhn 1955; with potentials, O(n²m)).
func assign(rows int, list []edge) assigned {
	out := assigned{of: slices.Repeat([]int{-1}, rows)}
	for _, g := range groups(list) {
		small, large := len(g.rows), len(g.cols)
		if small > large {
			small, large = large, small
		}
		if small*small*large > maxAssign {
			out.greedy++
			greedily(g, out.of)
			continue
		}
		g.solve(out.of)
	}
	return out
}

// group is a connected part of the graph, with ordered rows and columns.
type group struct {
	rows, cols []int
	edges      []edge
}

// groups splits a graph into its connected parts, in the order of their first rows.
func groups(list []edge) (out []*group) {
	parent := map[int]int{}
	var root func(x int) int
	root = func(x int) int {
		p, ok := parent[x]
		if !ok || p == x {
			return x
		}
		r := root(p)
		parent[x] = r
		return r
	}
	col := func(c int) int { return -1 - c } // columns get negative numbers
	for _, e := range list {
		parent[root(col(e.col))] = root(e.row)
	}
	of := map[int]*group{}
	for _, e := range slices.SortedFunc(slices.Values(list), func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.row, b.row),
			cmp.Compare(a.col, b.col))
	}) {
		r := root(e.row)
		g := of[r]
		if g == nil {
			g = &group{}
			of[r] = g
			out = append(out, g)
		}
		g.edges = append(g.edges, e)
		g.rows, g.cols = append(g.rows, e.row), append(g.cols, e.col)
	}
	for _, g := range out {
		slices.Sort(g.rows)
		slices.Sort(g.cols)
		g.rows, g.cols = slices.Compact(g.rows), slices.Compact(g.cols)
	}
	return out
}

func greedily(g *group, of []int) {
	used := map[int]bool{}
	best := slices.Clone(g.edges)
	slices.SortStableFunc(best, func(a, b edge) int { return cmp.Compare(b.weight(), a.weight()) })
	for _, e := range best {
		if of[e.row] < 0 && !used[e.col] {
			of[e.row], used[e.col] = e.col, true
		}
	}
}

// solve pairs one group. The smaller side are the workers, who each get a job. A job that does not fit
// costs nothing and does not count as a pair.
func (g *group) solve(of []int) {
	workers, jobs, turned := g.rows, g.cols, false
	if len(workers) > len(jobs) {
		workers, jobs, turned = jobs, workers, true
	}
	n, m := len(workers), len(jobs)
	cost := make([][]float64, n)
	for i := range cost {
		cost[i] = make([]float64, m)
	}
	most := maxWeight*float64(n) + 1 // above the sum of all weights, so that one more pair beats better pairs
	for _, e := range g.edges {
		w, j := e.row, e.col
		if turned {
			w, j = j, w
		}
		at, _ := slices.BinarySearch(workers, w)
		to, _ := slices.BinarySearch(jobs, j)
		cost[at][to] = -(most + e.weight())
	}
	for i, j := range hungarian(cost) {
		switch {
		case cost[i][j] == 0:
		case turned:
			of[jobs[j]] = workers[i]
		default:
			of[workers[i]] = jobs[j]
		}
	}
}

// hungarian returns the column of each row of a matrix with the least sum of costs. The matrix has at least
// as many columns as rows.
func hungarian(cost [][]float64) []int {
	n, m := len(cost), len(cost[0])
	u, v := make([]float64, n+1), make([]float64, m+1)
	owner, way := make([]int, m+1), make([]int, m+1) // by column from 1: its row, and the previous column of the path
	for i := 1; i <= n; i++ {
		owner[0] = i
		least, done := slices.Repeat([]float64{math.Inf(1)}, m+1), make([]bool, m+1)
		at := 0
		for owner[at] != 0 {
			done[at] = true
			row, next, delta := owner[at], 0, math.Inf(1)
			for j := 1; j <= m; j++ {
				if done[j] {
					continue
				}
				if c := cost[row-1][j-1] - u[row] - v[j]; c < least[j] {
					least[j], way[j] = c, at
				}
				if least[j] < delta {
					delta, next = least[j], j
				}
			}
			for j := 0; j <= m; j++ {
				if done[j] {
					u[owner[j]] += delta
					v[j] -= delta
				} else {
					least[j] -= delta
				}
			}
			at = next
		}
		for at != 0 {
			before := way[at]
			owner[at] = owner[before]
			at = before
		}
	}
	out := make([]int, n)
	for j := 1; j <= m; j++ {
		if owner[j] > 0 {
			out[owner[j]-1] = j - 1
		}
	}
	return out
}
