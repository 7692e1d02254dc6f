package azuredevops

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
)

// labels lists the labels of a pull request in the host's form.
func (h *Host) labels(ctx context.Context, op string, repo codehost.Repo, number int) ([]labelRef, error) {
	if err := checkPull(op, repo, number); err != nil {
		return nil, err
	}
	var got answerList[labelRef]
	err := h.read(ctx, op, request{path: pullPath(repo, number) + "/labels"}, &got)
	return slices.DeleteFunc(got.Value, func(l labelRef) bool { return l.Name == "" }), err
}

// Labels implements [codehost.Labeler].
func (h *Host) Labels(ctx context.Context, repo codehost.Repo, number int) (out []string, err error) {
	list, err := h.labels(ctx, "list labels", repo, number)
	for _, l := range list {
		out = append(out, l.Name)
	}
	return out, err
}

// KnownLabels implements [codehost.Labeler] with the tags of the project, which labels of pull requests and work items share, and the
// labels of the newest pull requests. It is not confirmed that labels are among the tags, and a token may lack the scope for tags.
func (h *Host) KnownLabels(ctx context.Context, repo codehost.Repo) (out []string, err error) {
	const op = "list labels of the repository"
	if err := checkRepo(op, repo); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	add := func(name string) {
		if key := strings.ToLower(name); name != "" && !seen[key] && len(out) < codehost.MaxKnownLabels {
			seen[key] = true
			out = append(out, name)
		}
	}
	var pulls answerList[pullRef]
	if err := h.read(ctx, op, request{path: repoPath(repo) + "/pullrequests", query: url.Values{"searchCriteria.status": {"all"},
		"$top": {"100"}}}, &pulls); err != nil {
		return nil, err
	}
	for _, p := range pulls.Value {
		for _, l := range p.Labels {
			add(l.Name)
		}
	}
	var tags answerList[labelRef]
	err = h.read(ctx, op, request{path: projectPath(repo.Owner) + "/_apis/wit/tags", version: "7.1-preview"}, &tags)
	if err != nil && !codehost.IsAccessLost(err) {
		return nil, err
	}
	for _, t := range tags.Value {
		add(t.Name)
	}
	return out, nil
}

// AddLabels implements [codehost.Labeler]. The host makes labels that it does not know, one with each request.
func (h *Host) AddLabels(ctx context.Context, repo codehost.Repo, number int, names []string) error {
	const op = "add labels"
	if err := codehost.CheckLabels(op, names); err != nil {
		return err
	}
	set, err := h.labels(ctx, op, repo, number)
	if err != nil {
		return err
	}
	for _, name := range names {
		if slices.ContainsFunc(set, func(l labelRef) bool { return strings.EqualFold(l.Name, name) }) {
			continue
		}
		err := h.write(ctx, op, request{method: http.MethodPost, path: pullPath(repo, number) + "/labels",
			body: map[string]string{"name": name}}, nil)
		if err != nil {
			return err
		}
	}
	return nil
}

// RemoveLabel implements [codehost.Labeler]. The path has the label's id, because names may have slashes.
func (h *Host) RemoveLabel(ctx context.Context, repo codehost.Repo, number int, name string) error {
	const op = "remove label"
	if err := codehost.CheckLabels(op, []string{name}); err != nil {
		return err
	}
	set, err := h.labels(ctx, op, repo, number)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(set, func(l labelRef) bool { return strings.EqualFold(l.Name, name) && guid(l.ID) != "" })
	if i < 0 {
		return nil
	}
	err = h.write(ctx, op, request{method: http.MethodDelete, path: pullPath(repo, number) + "/labels/" + url.PathEscape(set[i].ID)}, nil)
	if codehost.ClassOf(err) == codehost.ClassNotFound {
		return nil
	}
	return err
}
