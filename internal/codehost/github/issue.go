package github

import (
	"context"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// Issue implements [codehost.IssueReader] (docs.github.com/rest/issues/issues, "Get an issue"). GitHub counts pull
// requests as issues, and answers for an issue that moved to another repository with a redirect.
func (h *Host) Issue(ctx context.Context, repo codehost.Repo, number int) (codehost.Issue, error) {
	return wire.ReadIssue(wire.CheckPull, repo, number, func(op string) (out codehost.Issue, visible bool, err error) {
		err = h.run(ctx, h.installationCall(op, repo.Access, scopeRead), func(ctx context.Context) error {
			i, _, err := h.client.Issues.Get(ctx, repo.Owner, repo.Name, number)
			if err != nil {
				return err
			}
			out = codehost.Issue{Number: i.GetNumber(), Title: i.GetTitle(), Body: i.GetBody(), URL: i.GetHTMLURL(), Open: i.GetState() == "open"}
			visible = !i.IsPullRequest()
			return nil
		})
		return out, visible, err
	})
}

// IssueKind implements [codehost.IssueReader].
func (*Host) IssueKind() domain.ConnectionKind { return codehost.GitHub }
