package gitlab

import (
	"context"
	"slices"
	"strings"

	sdk "gitlab.com/gitlab-org/api/client-go/v2"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// maxKnownLabels is the most labels of a project and its groups that are searched.
const maxKnownLabels = 2000

var _ codehost.Labeler = (*Host)(nil)

// checkLabels is [codehost.CheckLabels] and refuses commas, which separate labels on GitLab.
func checkLabels(op string, names []string) error {
	if err := codehost.CheckLabels(op, names); err != nil {
		return err
	}
	if slices.ContainsFunc(names, func(n string) bool { return strings.Contains(n, ",") }) {
		return codehost.Refused(op, "the name of a label has no comma on this host")
	}
	return nil
}

// Labels implements [codehost.Labeler].
func (h *Host) Labels(ctx context.Context, repo codehost.Repo, number int) ([]string, error) {
	m, err := h.anyPull(ctx, "list labels", repo, number)
	if err != nil {
		return nil, err
	}
	return m.Labels, nil
}

// findSpelling returns a name in the spelling of a list, compared without regard to case.
func findSpelling(list []string, name string) (string, bool) {
	at := slices.IndexFunc(list, func(l string) bool { return strings.EqualFold(l, name) })
	if at < 0 {
		return name, false
	}
	return list[at], true
}

// listLabels lists the labels that a merge request can have: those of the project and of its groups.
func (h *Host) listLabels(ctx context.Context, op string, repo codehost.Repo) (names []string, whole bool, err error) {
	return listAll(ctx, h, op, maxKnownLabels, func(c *sdk.Client, with sdk.RequestOptionFunc, page sdk.ListOptions) ([]*sdk.Label,
		*sdk.Response, error) {
		return c.Labels.ListLabels(repo.FullName(), &sdk.ListLabelsOptions{ListOptions: page, IncludeAncestorGroups: sdk.Ptr(true)}, with)
	}, func(l *sdk.Label) (string, bool) {
		if l == nil {
			return "", false
		}
		return l.Name, true
	})
}

// KnownLabels implements [codehost.Labeler].
func (h *Host) KnownLabels(ctx context.Context, repo codehost.Repo) ([]string, error) {
	const op = "list labels of the project"
	if err := checkRepo(op, repo); err != nil {
		return nil, err
	}
	list, _, err := h.listLabels(ctx, op, repo)
	return list[:min(len(list), codehost.MaxKnownLabels)], err
}

// AddLabels implements [codehost.Labeler]. GitLab distinguishes spellings and creates missing labels, so
// AddLabels looks for the project's spelling first.
func (h *Host) AddLabels(ctx context.Context, repo codehost.Repo, number int, names []string) error {
	const op = "add labels"
	if err := checkLabels(op, names); err != nil {
		return err
	}
	set, err := h.Labels(ctx, repo, number)
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { _, there := findSpelling(set, n); return there })
	if len(names) == 0 {
		return nil
	}
	there, whole, err := h.listLabels(ctx, op, repo)
	if err != nil {
		return err
	}
	add := sdk.LabelOptions{}
	for _, n := range names {
		n, found := findSpelling(there, n)
		if !found && !whole { // it may exist in another spelling, and GitLab would create a second label
			return wire.TooMany(op, maxKnownLabels, "labels of the project")
		}
		add = append(add, n)
	}
	return h.update(ctx, op, repo, number, &sdk.UpdateMergeRequestOptions{AddLabels: &add})
}

// RemoveLabel implements [codehost.Labeler].
func (h *Host) RemoveLabel(ctx context.Context, repo codehost.Repo, number int, name string) error {
	const op = "remove label"
	if err := checkLabels(op, []string{name}); err != nil {
		return err
	}
	set, err := h.Labels(ctx, repo, number)
	if err != nil {
		return err
	}
	name, there := findSpelling(set, name)
	if !there {
		return nil
	}
	return h.update(ctx, op, repo, number, &sdk.UpdateMergeRequestOptions{RemoveLabels: &sdk.LabelOptions{name}})
}

// update changes a merge request.
func (h *Host) update(ctx context.Context, op string, repo codehost.Repo, number int, opts *sdk.UpdateMergeRequestOptions) error {
	return h.write(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) error {
		_, _, err := c.MergeRequests.UpdateMergeRequest(repo.FullName(), int64(number), opts, with)
		return err
	})
}
