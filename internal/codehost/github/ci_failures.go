package github

import (
	"cmp"
	"context"

	gh "github.com/google/go-github/v92/github"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// actionsApp is the slug of the app that owns the check runs of workflow jobs.
const actionsApp = "github-actions"

// Bounds of [Host.Failures]. maxAnnotated is the most checks whose annotations are read, one request for each.
const (
	maxAnnotated = 20
	maxStatuses  = 2000
)

// Failures implements [codehost.CI].
func (h *Host) Failures(ctx context.Context, repo codehost.Repo, commit string) ([]codehost.CIFailure, bool, error) {
	jobs, whole, err := h.Jobs(ctx, repo, commit)
	if err != nil {
		return nil, false, err
	}
	checks, every, err := h.failedChecks(ctx, repo, commit)
	if err != nil {
		return nil, false, err
	}
	statuses, all, err := h.failedStatuses(ctx, repo, commit)
	if err != nil {
		return nil, false, err
	}
	return codehost.BoundFailures(append(append(codehost.FailedJobs(jobs), checks...), statuses...), whole && every && all)
}

// failedChecks lists the failed check runs of other apps than ours and GitHub Actions, with their annotations.
func (h *Host) failedChecks(ctx context.Context, repo codehost.Repo, commit string) ([]codehost.CIFailure, bool, error) {
	const op = "list failed checks"
	counts := map[string]int{}
	list, whole, err := listAll(ctx, h, h.installationCall(op, repo.Access, scopeCheck), maxChecks,
		func(ctx context.Context, opts gh.ListOptions) ([]*gh.CheckRun, *gh.Response, error) {
			list, resp, err := h.client.Checks.ListCheckRunsForRef(ctx, repo.Owner, repo.Name, commit,
				&gh.ListCheckRunsOptions{Filter: gh.Ptr("latest"), Status: gh.Ptr("completed"), ListOptions: opts})
			if err != nil {
				return nil, resp, err
			}
			return list.CheckRuns, resp, nil
		}, func(r *gh.CheckRun) (codehost.CIFailure, bool) {
			app := r.GetApp()
			f := codehost.CIFailure{Key: "check/" + string(hostID(r.GetID())), NoLog: codehost.NoLogOtherApp,
				Name: wire.OneLine(r.GetName(), maxCIName), Workflow: wire.OneLine(app.GetName(), maxCIName),
				Conclusion: r.GetConclusion(), URL: wire.Link(cmp.Or(r.GetDetailsURL(), r.GetHTMLURL())),
				Description: wire.Words(r.GetOutput().GetTitle(), codehost.MaxCIText), EndedAt: r.GetCompletedAt().Time}
			f.Unread = max(0, r.GetOutput().GetAnnotationsCount())
			counts[f.Key] = int(r.GetID())
			return f, codehost.IsFailure(f.Conclusion) && app.GetID() != h.appID && app.GetSlug() != actionsApp
		})
	if err != nil {
		return nil, false, err
	}
	read := 0
	for i := range list {
		if list[i].Unread > 0 && read < maxAnnotated {
			read++
			if err := h.annotate(ctx, repo, int64(counts[list[i].Key]), &list[i]); err != nil {
				return nil, false, err
			}
		}
	}
	return list, whole, nil
}

// annotate reads the first annotations of a check run.
func (h *Host) annotate(ctx context.Context, repo codehost.Repo, id int64, f *codehost.CIFailure) error {
	c := h.installationCall("list annotations", repo.Access, scopeCheck)
	c.Entries = codehost.MaxAnnotations
	return h.run(ctx, c, func(ctx context.Context) error {
		list, _, err := h.client.Checks.ListCheckRunAnnotations(ctx, repo.Owner, repo.Name, id,
			&gh.ListOptions{PerPage: codehost.MaxAnnotations})
		for _, a := range list[:min(len(list), codehost.MaxAnnotations)] {
			f.Annotations = append(f.Annotations, codehost.Annotation{Path: wire.OneLine(a.GetPath(), codehost.MaxCIText),
				Line: max(0, a.GetStartLine()), Level: wire.OneLine(a.GetAnnotationLevel(), maxCIName),
				Message: wire.Words(a.GetMessage(), codehost.MaxCIText)})
		}
		f.Unread = max(0, f.Unread-len(f.Annotations))
		return err
	})
}

// failedStatuses lists the failed commit statuses. GitHub lists the newest first (GitHub REST description, "List
// commit statuses for a reference"), and the newest of a context counts.
func (h *Host) failedStatuses(ctx context.Context, repo codehost.Repo, commit string) ([]codehost.CIFailure, bool, error) {
	seen := map[string]bool{}
	return listAll(ctx, h, h.installationCall("list failed statuses", repo.Access, scopeStatuses), maxStatuses,
		func(ctx context.Context, opts gh.ListOptions) ([]*gh.RepoStatus, *gh.Response, error) {
			return h.client.Repositories.ListStatuses(ctx, repo.Owner, repo.Name, commit, &opts)
		}, func(s *gh.RepoStatus) (codehost.CIFailure, bool) {
			f := codehost.FailedStatus(wire.OneLine(s.GetContext(), maxCIName), s.GetState(),
				wire.Words(s.GetDescription(), codehost.MaxCIText), wire.Link(s.GetTargetURL()), s.GetUpdatedAt().Time)
			newest := !seen[f.Key]
			seen[f.Key] = true
			return f, newest && codehost.IsFailure(f.Conclusion)
		})
}
