package gitea

import (
	"context"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// Issue implements [codehost.IssueReader] (routers/api/v1/repo/issue.go, GetIssue). The host counts pull requests as
// issues.
func (h *Host) Issue(ctx context.Context, repo codehost.Repo, number int) (codehost.Issue, error) {
	const op = "read issue"
	if err := wire.CheckPull(op, repo, number); err != nil {
		return codehost.Issue{}, err
	}
	var i *sdk.Issue
	err := h.read(ctx, op, func(c *sdk.Client) (err error) {
		i, _, err = c.GetIssue(repo.Owner, repo.Name, int64(number))
		return err
	})
	if err != nil {
		return codehost.Issue{}, err
	}
	if i.PullRequest != nil || i.Index != int64(number) {
		return codehost.Issue{}, codehost.NoIssue(op)
	}
	return codehost.Issue{Number: number, Title: i.Title, Body: i.Body, URL: i.HTMLURL, Open: i.State == sdk.StateOpen}.Bounded(), nil
}

// IssueKind implements [codehost.IssueReader].
func (h *Host) IssueKind() domain.ConnectionKind { return h.instance.Kind }
