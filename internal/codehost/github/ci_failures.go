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

// Bounds of [Host.Results]. maxAnnotated is the most checks whose annotations are read, one request for each.
const (
	maxAnnotated = 20
	maxStatuses  = 2000
)

// Results implements [codehost.CI].
func (h *Host) Results(ctx context.Context, repo codehost.Repo, commit string) (out codehost.CIResults, err error) {
	jobs, open, whole, err := h.readJobs(ctx, repo, commit)
	if err != nil {
		return out, err
	}
	out.Open, out.Whole = open, whole
	out.AddJobs(jobs)
	for _, add := range []func(context.Context, codehost.Repo, string, *codehost.CIResults) ([]codehost.CIFailure, bool, error){
		h.failedChecks, h.failedStatuses} {
		list, all, err := add(ctx, repo, commit, &out)
		if err != nil {
			return codehost.CIResults{}, err
		}
		out.Failed, out.Whole = append(out.Failed, list...), out.Whole && all
	}
	out.Bound()
	return out, nil
}

// failedChecks counts the check runs of other apps than ours and GitHub Actions, and lists the failed ones with their annotations.
func (h *Host) failedChecks(ctx context.Context, repo codehost.Repo, commit string, out *codehost.CIResults) ([]codehost.CIFailure, bool,
	error) {
	const op = "list failed checks"
	counts := map[string]int{}
	list, whole, err := listAll(ctx, h, h.installationCall(op, repo.Access, scopeCheck), maxChecks,
		func(ctx context.Context, opts gh.ListOptions) ([]*gh.CheckRun, *gh.Response, error) {
			list, resp, err := h.client.Checks.ListCheckRunsForRef(ctx, repo.Owner, repo.Name, commit,
				&gh.ListCheckRunsOptions{Filter: gh.Ptr("latest"), ListOptions: opts})
			if err != nil {
				return nil, resp, err
			}
			return list.CheckRuns, resp, nil
		}, func(r *gh.CheckRun) (codehost.CIFailure, bool) {
			app := r.GetApp()
			if app.GetID() == h.appID || app.GetSlug() == actionsApp {
				return codehost.CIFailure{}, false
			}
			out.Count(r.GetConclusion())
			f := codehost.CIFailure{Key: "check/" + string(hostID(r.GetID())), NoLog: codehost.NoLogOtherApp,
				Name: wire.OneLine(r.GetName(), maxCIName), Workflow: wire.OneLine(app.GetName(), maxCIName),
				Conclusion: r.GetConclusion(), URL: wire.Link(cmp.Or(r.GetDetailsURL(), r.GetHTMLURL())),
				Description: wire.Words(r.GetOutput().GetTitle(), codehost.MaxCIText), EndedAt: r.GetCompletedAt().Time}
			f.Unread = max(0, r.GetOutput().GetAnnotationsCount())
			counts[f.Key] = int(r.GetID())
			return f, codehost.IsFailure(f.Conclusion)
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

// failedStatuses counts the commit statuses, and lists the failed ones. GitHub lists the newest first (GitHub REST description, "List
// commit statuses for a reference"), and the newest of a context counts.
func (h *Host) failedStatuses(ctx context.Context, repo codehost.Repo, commit string, out *codehost.CIResults) ([]codehost.CIFailure, bool,
	error) {
	seen := map[string]bool{}
	return listAll(ctx, h, h.installationCall("list failed statuses", repo.Access, scopeStatuses), maxStatuses,
		func(ctx context.Context, opts gh.ListOptions) ([]*gh.RepoStatus, *gh.Response, error) {
			return h.client.Repositories.ListStatuses(ctx, repo.Owner, repo.Name, commit, &opts)
		}, func(s *gh.RepoStatus) (codehost.CIFailure, bool) {
			f := codehost.FailedStatus(wire.OneLine(s.GetContext(), maxCIName), s.GetState(),
				wire.Words(s.GetDescription(), codehost.MaxCIText), wire.Link(s.GetTargetURL()), s.GetUpdatedAt().Time)
			newest := !seen[f.Key]
			seen[f.Key] = true
			if newest {
				out.Count(f.Conclusion)
			}
			return f, newest && codehost.IsFailure(f.Conclusion)
		})
}
