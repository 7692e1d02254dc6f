package github

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	gh "github.com/google/go-github/v92/github"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/markdown"
)

// maxSummary is GitHub's limit of a check run's summary (GitHub REST description, "Create a check run").
const maxSummary = 65535

// maxChecks is the most check runs of a name on a commit that are searched. GitHub keeps a thousand (GitHub
// REST description, "List check runs for a Git reference").
const maxChecks = 1000

// Spare implements [codehost.Publisher].
func (h *Host) Spare(ctx context.Context, repo codehost.Repo) (bool, error) {
	return h.gate.Spare(ctx, h.installationKey(repo.Access))
}

// FindChecks implements [codehost.Publisher].
func (h *Host) FindChecks(ctx context.Context, repo codehost.Repo, check codehost.Check) ([]string, error) {
	if err := wire.CheckCheck("list checks", repo, check); err != nil {
		return nil, err
	}
	found, err := listComplete(ctx, h, h.installationCall("list checks", repo.Access, scopeCheck), maxChecks, "checks",
		func(ctx context.Context, opts gh.ListOptions) ([]*gh.CheckRun, *gh.Response, error) {
			list, resp, err := h.client.Checks.ListCheckRunsForRef(ctx, repo.Owner, repo.Name, check.HeadSHA,
				&gh.ListCheckRunsOptions{CheckName: &check.Name, Filter: gh.Ptr("all"), AppID: &h.appID, ListOptions: opts})
			if err != nil {
				return nil, resp, err
			}
			return list.CheckRuns, resp, nil
		}, func(r *gh.CheckRun) (int64, bool) {
			ours := r.GetApp().GetID() == 0 || r.GetApp().GetID() == h.appID
			return r.GetID(), ours && r.GetName() == check.Name && r.GetHeadSHA() == check.HeadSHA && r.GetExternalID() == check.ExternalID
		})
	slices.SortFunc(found, func(a, b int64) int { return cmp.Compare(b, a) })
	ids := make([]string, len(found))
	for i, id := range found {
		ids[i] = strconv.FormatInt(id, 10)
	}
	return ids, err
}

// CreateCheck implements [codehost.Publisher].
func (h *Host) CreateCheck(ctx context.Context, repo codehost.Repo, check codehost.Check) (id string, err error) {
	const op = "create check"
	if err := wire.CheckCheck(op, repo, check); err != nil {
		return "", err
	}
	n := gh.CreateCheckRunOptions{Name: check.Name, HeadSHA: check.HeadSHA, ExternalID: &check.ExternalID, Status: &check.Status,
		Output:     checkOutput(check),
		DetailsURL: optional(check.DetailsURL), Conclusion: optional(check.Conclusion)}
	now := &gh.Timestamp{Time: h.now().UTC().Truncate(time.Second)}
	switch check.Status {
	case "completed":
		n.CompletedAt = now
	case "in_progress":
		n.StartedAt = now
	}
	var made int64
	err = h.run(ctx, h.writeCall(op, repo.Access, scopeCheck), func(ctx context.Context) error {
		got, _, err := h.client.Checks.CreateCheckRun(ctx, repo.Owner, repo.Name, n)
		made = got.GetID()
		return err
	})
	switch {
	case err != nil:
		return "", err
	case made <= 0:
		return "", &codehost.Error{Class: codehost.ClassAmbiguous, Op: op, Message: "the answer names no check run"}
	}
	return strconv.FormatInt(made, 10), nil
}

// UpdateCheck implements [codehost.Publisher].
func (h *Host) UpdateCheck(ctx context.Context, repo codehost.Repo, id string, check codehost.Check) error {
	const op = "update check"
	if err := wire.CheckCheck(op, repo, check); err != nil {
		return err
	}
	number, err := strconv.ParseInt(id, 10, 64)
	if err != nil || number <= 0 {
		return codehost.Refused(op, "the id of a check run must be a positive number")
	}
	u := gh.UpdateCheckRunOptions{Name: check.Name, ExternalID: &check.ExternalID, Status: &check.Status, Output: checkOutput(check),
		DetailsURL: optional(check.DetailsURL), Conclusion: optional(check.Conclusion)}
	if check.Conclusion != "" {
		u.CompletedAt = &gh.Timestamp{Time: h.now().UTC().Truncate(time.Second)}
	}
	return h.run(ctx, h.writeCall(op, repo.Access, scopeCheck), func(ctx context.Context) error {
		_, _, err := h.client.Checks.UpdateCheckRun(ctx, repo.Owner, repo.Name, number, u)
		return err
	})
}

func checkOutput(check codehost.Check) *gh.CheckRunOutput {
	out := &gh.CheckRunOutput{Title: gh.Ptr(check.Title.String()),
		Summary: gh.Ptr(check.Summary.Cut(maxSummary, markdown.Const("…")).String())}
	if check.Title.Empty() {
		out.Title = &check.Name
	}
	return out
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
