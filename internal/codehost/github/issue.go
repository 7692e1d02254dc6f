package github

import (
	"context"

	gh "github.com/google/go-github/v92/github"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// Issue implements [codehost.IssueReader] (docs.github.com/rest/issues/issues, "Get an issue"). GitHub counts pull
// requests as issues, and answers for an issue that moved to another repository with a redirect.
func (h *Host) Issue(ctx context.Context, repo codehost.Repo, number int) (codehost.Issue, error) {
	const op = "read issue"
	if err := wire.CheckPull(op, repo, number); err != nil {
		return codehost.Issue{}, err
	}
	var i *gh.Issue
	err := h.run(ctx, h.installationCall(op, repo.Access, scopeRead), func(ctx context.Context) (err error) {
		i, _, err = h.client.Issues.Get(ctx, repo.Owner, repo.Name, number)
		return err
	})
	if err == nil && (i.IsPullRequest() || i.GetNumber() != number) {
		err = codehost.NoIssue(op)
	}
	if err != nil {
		return codehost.Issue{}, err
	}
	out := codehost.Issue{Number: number, Title: i.GetTitle(), Body: i.GetBody(), URL: i.GetHTMLURL(), Open: i.GetState() == "open"}
	return out.Bounded(), nil
}

// IssueKind implements [codehost.IssueReader].
func (*Host) IssueKind() domain.ConnectionKind { return codehost.GitHub }
