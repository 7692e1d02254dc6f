package gitea

import (
	"context"
	"strings"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// maxKnownLabels is the most labels of a repository and its organisation that are searched.
const maxKnownLabels = 2000

var _ codehost.Labeler = (*Host)(nil)

// pullLabels lists the labels of a pull request in the host's form. The host returns them in one page
// (routers/api/v1/repo/issue_label.go, ListIssueLabels).
func (h *Host) pullLabels(ctx context.Context, op string, repo codehost.Repo, number int) ([]*sdk.Label, error) {
	if err := wire.CheckPull(op, repo, number); err != nil {
		return nil, err
	}
	var list []*sdk.Label
	err := h.read(ctx, op, func(c *sdk.Client) (err error) {
		list, _, err = c.GetIssueLabels(repo.Owner, repo.Name, int64(number), sdk.ListLabelsOptions{})
		return err
	})
	return list, err
}

// Labels implements [codehost.Labeler].
func (h *Host) Labels(ctx context.Context, repo codehost.Repo, number int) ([]string, error) {
	list, err := h.pullLabels(ctx, "list labels", repo, number)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, l := range list {
		if l != nil {
			out = append(out, l.Name)
		}
	}
	return out, nil
}

// findLabel finds a label by its name.
func findLabel(list []*sdk.Label, name string) *sdk.Label {
	for _, l := range list {
		if l != nil && strings.EqualFold(l.Name, name) {
			return l
		}
	}
	return nil
}

// listLabels lists the labels that a pull request of the repository can have: those of the repository, and those
// of its organisation if the token can see them.
func (h *Host) listLabels(ctx context.Context, op string, repo codehost.Repo) (list []*sdk.Label, whole bool, err error) {
	own, whole, err := listAll(ctx, h, op, maxKnownLabels, func(c *sdk.Client, opts sdk.ListOptions) ([]*sdk.Label, *sdk.Response, error) {
		return c.ListRepoLabels(repo.Owner, repo.Name, sdk.ListLabelsOptions{ListOptions: opts})
	}, wire.KeepNonNil)
	if err != nil {
		return nil, false, err
	}
	shared, every, err := listAll(ctx, h, op, maxKnownLabels, func(c *sdk.Client, opts sdk.ListOptions) ([]*sdk.Label, *sdk.Response, error) {
		return c.ListOrgLabels(repo.Owner, sdk.ListOrgLabelsOptions{ListOptions: opts})
	}, wire.KeepNonNil)
	if codehost.IsAccessLost(err) { // a person owns the repository, or the token lacks the scope
		return own, whole, nil
	}
	return append(own, shared...), whole && every, err
}

// KnownLabels implements [codehost.Labeler].
func (h *Host) KnownLabels(ctx context.Context, repo codehost.Repo) ([]string, error) {
	const op = "list labels of the repository"
	if err := wire.CheckRepo(op, repo); err != nil {
		return nil, err
	}
	list, _, err := h.listLabels(ctx, op, repo)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, l := range list {
		if l != nil && len(out) < codehost.MaxKnownLabels {
			out = append(out, l.Name)
		}
	}
	return out, nil
}

// AddLabels implements [codehost.Labeler]. The host sets labels by number and does not create missing ones,
// so AddLabels creates them.
func (h *Host) AddLabels(ctx context.Context, repo codehost.Repo, number int, names []string) error {
	const op = "add labels"
	if err := codehost.CheckLabels(op, names); err != nil {
		return err
	}
	set, err := h.pullLabels(ctx, op, repo, number)
	if err != nil {
		return err
	}
	var known []*sdk.Label
	var whole bool
	var ids []int64
	for _, name := range names {
		if findLabel(set, name) != nil {
			continue
		}
		if known == nil {
			if known, whole, err = h.listLabels(ctx, op, repo); err != nil {
				return err
			}
		}
		l := findLabel(known, name)
		if l == nil {
			if !whole { // it may exist, and the host would create a second label
				return wire.TooMany(op, maxKnownLabels, "labels of the repository")
			}
			if l, err = h.makeLabel(ctx, op, repo, name); err != nil {
				return err
			}
			known = append(known, l)
		}
		ids = append(ids, l.ID)
	}
	if len(ids) == 0 {
		return nil
	}
	return h.write(ctx, op, func(c *sdk.Client) error {
		_, _, err := c.AddIssueLabels(repo.Owner, repo.Name, int64(number), sdk.IssueLabelsOption{Labels: ids})
		return err
	})
}

func (h *Host) makeLabel(ctx context.Context, op string, repo codehost.Repo, name string) (*sdk.Label, error) {
	var l *sdk.Label
	err := h.write(ctx, op, func(c *sdk.Client) (err error) {
		l, _, err = c.CreateLabel(repo.Owner, repo.Name, sdk.CreateLabelOption{Name: name, Color: "#" + codehost.LabelColor})
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case l.ID <= 0:
		return nil, &codehost.Error{Class: codehost.ClassAmbiguous, Op: op, Message: "the answer names no label"}
	}
	return l, nil
}

// RemoveLabel implements [codehost.Labeler].
func (h *Host) RemoveLabel(ctx context.Context, repo codehost.Repo, number int, name string) error {
	const op = "remove label"
	if err := codehost.CheckLabels(op, []string{name}); err != nil {
		return err
	}
	set, err := h.pullLabels(ctx, op, repo, number)
	if err != nil {
		return err
	}
	l := findLabel(set, name)
	if l == nil {
		return nil
	}
	return h.write(ctx, op, func(c *sdk.Client) error {
		_, err := c.DeleteIssueLabel(repo.Owner, repo.Name, int64(number), l.ID)
		return err
	})
}
