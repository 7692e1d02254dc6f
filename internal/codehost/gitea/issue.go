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
	return wire.ReadIssue(wire.CheckPull, repo, number, func(op string) (out codehost.Issue, visible bool, err error) {
		err = h.read(ctx, op, func(c *sdk.Client) error {
			i, _, err := c.GetIssue(repo.Owner, repo.Name, int64(number))
			if err != nil {
				return err
			}
			out = codehost.Issue{Number: int(i.Index), Title: i.Title, Body: i.Body, URL: i.HTMLURL, Open: i.State == sdk.StateOpen}
			visible = i.PullRequest == nil
			return nil
		})
		return out, visible, err
	})
}

// IssueKind implements [codehost.IssueReader].
func (h *Host) IssueKind() domain.ConnectionKind { return h.instance.Kind }
