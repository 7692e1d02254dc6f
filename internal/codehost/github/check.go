package github

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	gh "github.com/google/go-github/v92/github"

	"github.com/assay-dev/assay/internal/codehost"
)

// maxSummary is GitHub's cap on a check run's summary (GitHub REST
// description, "Create a check run").
const maxSummary = 65535

// cutNote ends a summary that had to be cut.
const cutNote = "\n\n… (cut: the host takes no more)"

// SetCheck implements [codehost.Publisher]. It looks for a check run of this
// App with the name, head and external id and updates it, or makes one; both
// may be repeated.
func (h *Host) SetCheck(ctx context.Context, repo codehost.Repo, check codehost.Check) error {
	const op = "set check"
	if err := checkRepo(op, repo); err != nil {
		return err
	}
	if !shaForm.MatchString(check.HeadSHA) {
		return local(op, "the head must be a full commit id")
	}
	if check.Name == "" || check.ExternalID == "" {
		return local(op, "a check run needs a name and an external id")
	}
	if (check.Status == "completed") != (check.Conclusion != "") {
		return local(op, "a conclusion is needed when, and only when, the status is completed")
	}
	id, err := h.findCheck(ctx, repo, check)
	if err != nil {
		return err
	}
	output := &gh.CheckRunOutput{Title: &check.Title, Summary: gh.Ptr(cut(check.Summary, maxSummary))}
	if check.Title == "" {
		output.Title = &check.Name
	}
	now := &gh.Timestamp{Time: h.now().UTC().Truncate(time.Second)}
	c := h.writeCall(op, repo.Installation, scopeCheck)
	return h.run(ctx, c, func(ctx context.Context) (err error) {
		if id != 0 {
			u := gh.UpdateCheckRunOptions{Name: check.Name, ExternalID: &check.ExternalID, Status: &check.Status, Output: output}
			u.DetailsURL, u.Conclusion = optional(check.DetailsURL), optional(check.Conclusion)
			if check.Conclusion != "" {
				u.CompletedAt = now
			}
			_, _, err = h.client.Checks.UpdateCheckRun(ctx, repo.Owner, repo.Name, id, u)
			return err
		}
		n := gh.CreateCheckRunOptions{Name: check.Name, HeadSHA: check.HeadSHA, ExternalID: &check.ExternalID, Status: &check.Status, Output: output}
		n.DetailsURL, n.Conclusion = optional(check.DetailsURL), optional(check.Conclusion)
		switch check.Status {
		case "completed":
			n.CompletedAt = now
		case "in_progress":
			n.StartedAt = now
		}
		_, _, err = h.client.Checks.CreateCheckRun(ctx, repo.Owner, repo.Name, n)
		return err
	})
}

// findCheck returns the newest check run of ours for the key, 0 for none. The
// newest, because that is the one the host shows.
func (h *Host) findCheck(ctx context.Context, repo codehost.Repo, check codehost.Check) (int64, error) {
	var id int64
	err := h.all(ctx, func() *call { return h.installationCall("list checks", repo.Installation, scopeCheck) },
		func(ctx context.Context, opts gh.ListOptions) (*gh.Response, error) {
			list, resp, err := h.client.Checks.ListCheckRunsForRef(ctx, repo.Owner, repo.Name, check.HeadSHA,
				&gh.ListCheckRunsOptions{CheckName: &check.Name, Filter: gh.Ptr("all"), AppID: &h.appID, ListOptions: opts})
			if err != nil {
				return resp, err
			}
			for _, r := range list.CheckRuns {
				ours := r.GetApp().GetID() == 0 || r.GetApp().GetID() == h.appID
				if ours && r.GetName() == check.Name && r.GetHeadSHA() == check.HeadSHA && r.GetExternalID() == check.ExternalID {
					id = max(id, r.GetID())
				}
			}
			return resp, nil
		})
	return id, err
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// cut shortens a text to at most n characters at the end of a line where there
// is one near, and says so.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	head := string([]rune(s)[:n-utf8.RuneCountInString(cutNote)])
	if i := strings.LastIndexByte(head, '\n'); i > len(head)/2 {
		head = head[:i]
	}
	return head + cutNote
}
