package store

import (
	"cmp"
	"context"
	"iter"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// listSize is the maximum number of list entries in one statement. A statement can have 32,766 parameters
// on SQLite (SQLITE_MAX_VARIABLE_NUMBER) and 65,535 on PostgreSQL (a 16-bit count in its protocol); a row
// has at most 20.
const listSize = 512

// parts cuts the rows of an insert into pieces whose lengths are powers of two up to [listSize]. Ten
// statement texts thus serve lists of every length, which keeps the number of prepared statements low.
func parts[T any](list []T) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		for len(list) > 0 {
			n := min(listSize, 1<<(bits.Len(uint(len(list)))-1))
			if !yield(list[:n:n]) {
				return
			}
			list = list[n:]
		}
	}
}

// padded repeats the last entry of a list until its length is a power of two. IN ignores duplicates, and
// ten statement texts serve lists of every length up to [listSize].
func padded[T any](list []T) []T {
	for n := 1 << bits.Len(uint(len(list)-1)); len(list) < n; {
		list = append(list[:len(list):len(list)], list[len(list)-1])
	}
	return list
}

// listMark is the placeholder for a part of a list in the texts of [manyIn], [execIn] and [insertRows].
const listMark = "{list}"

// manyIn reads the rows of a query for all values of a list of any length. The text contains "IN ({list})"
// and numbers its other parameters from 1. Long lists take several queries over the sorted distinct values,
// so ORDER BY holds only within a query; the caller sorts the result.
func manyIn[T any, V cmp.Ordered](ctx context.Context, s *Store, scan func(scanner, *T) error, list []V, text string,
	args ...any) ([]T, error) {
	out := []T{}
	for part := range slices.Chunk(distinct(list), listSize) {
		part = padded(part)
		got, err := many(ctx, s, scan, listed(text, inList(len(part), len(args)+1)), append(slices.Clone(args), anys(part)...)...)
		if err != nil {
			return nil, err
		}
		out = append(out, got...)
	}
	return out, nil
}

// execIn runs a statement for all values of a list of any length, in the caller's transaction or its own.
// The text is as in [manyIn]. It takes the values in sorted order, so that two callers cannot deadlock.
func execIn[V cmp.Ordered](ctx context.Context, s *Store, list []V, text string, args ...any) error {
	if len(list) == 0 {
		return nil
	}
	return s.Atomically(ctx, func(ctx context.Context) error {
		for part := range slices.Chunk(distinct(list), listSize) {
			part = padded(part)
			if _, err := s.exec(ctx, listed(text, inList(len(part), len(args)+1)), append(slices.Clone(args), anys(part)...)...); err != nil {
				return err
			}
		}
		return nil
	})
}

// insertRows inserts any number of rows of equal width, in the caller's transaction or its own. The text
// contains "VALUES {list}" and has no other parameters.
func insertRows(ctx context.Context, s *Store, rows [][]any, text string) error {
	if len(rows) == 0 {
		return nil
	}
	return s.Atomically(ctx, func(ctx context.Context) error {
		for part := range parts(rows) {
			groups, args := make([]string, len(part)), []any{}
			for i, row := range part {
				groups[i] = "(" + inList(len(row), len(args)+1) + ")"
				args = append(args, row...)
			}
			if _, err := s.exec(ctx, listed(text, strings.Join(groups, ", ")), args...); err != nil {
				return err
			}
		}
		return nil
	})
}

func listed(text, list string) string { return strings.Replace(text, listMark, list, 1) }

// distinct returns the distinct values in sorted order.
func distinct[V cmp.Ordered](list []V) []V { return slices.Compact(slices.Sorted(slices.Values(list))) }

// inList renders "$from, $from+1, …" for n values.
func inList(n, from int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("$" + strconv.Itoa(from+i))
	}
	return b.String()
}

func anys[T any](in []T) []any {
	out := make([]any, len(in))
	for i, v := range in {
		out[i] = v
	}
	return out
}
