package github

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	gh "github.com/google/go-github/v92/github"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

var _ codehost.Labeler = (*Host)(nil)

// Labels implements [codehost.Labeler].
func (h *Host) Labels(ctx context.Context, repo codehost.Repo, number int) ([]string, error) {
	const op = "list labels"
	if err := wire.CheckPull(op, repo, number); err != nil {
		return nil, err
	}
	return listComplete(ctx, h, h.installationCall(op, repo.Access, scopePublish), codehost.MaxKnownLabels, "labels",
		func(ctx context.Context, opts gh.ListOptions) ([]*gh.Label, *gh.Response, error) {
			return h.client.Issues.ListLabelsByIssue(ctx, repo.Owner, repo.Name, number, &opts)
		}, labelName)
}

func labelName(l *gh.Label) (string, bool) { return l.GetName(), true }

// KnownLabels implements [codehost.Labeler] (GitHub REST description, "List labels for a repository").
func (h *Host) KnownLabels(ctx context.Context, repo codehost.Repo) ([]string, error) {
	const op = "list labels of the repository"
	if err := wire.CheckRepo(op, repo); err != nil {
		return nil, err
	}
	list, _, err := listAll(ctx, h, h.installationCall(op, repo.Access, scopePublish), codehost.MaxKnownLabels,
		func(ctx context.Context, opts gh.ListOptions) ([]*gh.Label, *gh.Response, error) {
			return h.client.Issues.ListLabels(ctx, repo.Owner, repo.Name, &opts)
		}, labelName)
	return list, err
}

// AddLabels implements [codehost.Labeler]. GitHub creates missing labels. It sends an object, because
// GitHub recommends that over the library's bare list (GitHub REST description, "Add labels to an issue").
func (h *Host) AddLabels(ctx context.Context, repo codehost.Repo, number int, names []string) error {
	const op = "add labels"
	if err := wire.CheckPull(op, repo, number); err != nil {
		return err
	}
	if err := codehost.CheckLabels(op, names); err != nil {
		return err
	}
	return h.run(ctx, h.writeCall(op, repo.Access, scopePublish), func(ctx context.Context) error {
		req, err := h.client.NewRequest(ctx, http.MethodPost, fmt.Sprintf("repos/%s/%s/issues/%d/labels", repo.Owner, repo.Name, number),
			map[string][]string{"labels": names})
		if err != nil {
			return err
		}
		_, err = h.client.Do(req, nil)
		return err
	})
}

// RemoveLabel implements [codehost.Labeler]. GitHub has one status for an absent label and for a missing
// pull request, so RemoveLabel then reads the labels.
func (h *Host) RemoveLabel(ctx context.Context, repo codehost.Repo, number int, name string) error {
	const op = "remove label"
	if err := wire.CheckPull(op, repo, number); err != nil {
		return err
	}
	if err := codehost.CheckLabels(op, []string{name}); err != nil {
		return err
	}
	err := h.run(ctx, h.writeCall(op, repo.Access, scopePublish), func(ctx context.Context) error {
		_, err := h.client.Issues.RemoveLabelForIssue(ctx, repo.Owner, repo.Name, number, url.PathEscape(name))
		return err
	})
	if codehost.ClassOf(err) == codehost.ClassNotFound {
		_, err = h.Labels(ctx, repo, number)
	}
	return err
}
