package reviewtest

import (
	"context"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
)

// Labelled holds the labels of a [Host]. Its fields are set while no work is under way.
type Labelled struct {
	Known []string         // of the repository
	Set   map[int][]string // of pull requests
}

var _ codehost.Labeler = (*Host)(nil)

// Labels implements [codehost.Labeler].
func (h *Host) Labels(_ context.Context, _ codehost.Repo, number int) ([]string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.Labelled.Set[number]), h.failed("labels")
}

// KnownLabels implements [codehost.Labeler].
func (h *Host) KnownLabels(context.Context, codehost.Repo) ([]string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.Labelled.Known), h.failed("known labels")
}

// AddLabels implements [codehost.Labeler]. A call that fails with class ambiguous is still applied.
func (h *Host) AddLabels(_ context.Context, _ codehost.Repo, number int, names []string) error {
	if err := codehost.CheckLabels("add labels", names); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	err := h.failed("add labels")
	if err != nil && codehost.ClassOf(err) != codehost.ClassAmbiguous {
		return err
	}
	h.Writes = append(h.Writes, "add labels "+strings.Join(names, ", "))
	if h.Labelled.Set == nil {
		h.Labelled.Set = map[int][]string{}
	}
	for _, n := range names {
		if !slices.ContainsFunc(h.Labelled.Set[number], func(l string) bool { return strings.EqualFold(l, n) }) {
			h.Labelled.Set[number] = append(h.Labelled.Set[number], n)
		}
	}
	return err
}

// RemoveLabel implements [codehost.Labeler].
func (h *Host) RemoveLabel(_ context.Context, _ codehost.Repo, number int, name string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.Labelled.Set[number] = slices.DeleteFunc(slices.Clone(h.Labelled.Set[number]), func(l string) bool { return strings.EqualFold(l, name) })
	return nil
}
