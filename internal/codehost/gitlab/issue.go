package gitlab

import (
	"context"

	sdk "gitlab.com/gitlab-org/api/client-go/v2"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// Issue implements [codehost.IssueReader] (docs.gitlab.com/api/issues, "Retrieve a project issue"). Confidential
// issues, and issues of a project that lets only its members read them although others read the project, are not
// found.
func (h *Host) Issue(ctx context.Context, repo codehost.Repo, number int) (codehost.Issue, error) {
	return wire.ReadIssue(checkPull, repo, number, func(op string) (codehost.Issue, bool, error) {
		var i *sdk.Issue
		err := h.read(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) (err error) {
			i, _, err = c.Issues.GetIssue(repo.FullName(), int64(number), with)
			return err
		})
		if err != nil || i.Confidential || i.IID != int64(number) {
			return codehost.Issue{}, false, err
		}
		var p *sdk.Project
		err = h.read(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) (err error) {
			p, _, err = c.Projects.GetProject(repo.FullName(), nil, with)
			return err
		})
		if err != nil {
			return codehost.Issue{}, false, err
		}
		private := p.Visibility != sdk.PrivateVisibility && p.IssuesAccessLevel == sdk.PrivateAccessControl
		return codehost.Issue{Number: int(i.IID), Title: i.Title, Body: i.Description, URL: i.WebURL, Open: i.State == "opened"},
			p.ID == i.ProjectID && !private, nil
	})
}

// IssueKind implements [codehost.IssueReader].
func (*Host) IssueKind() domain.ConnectionKind { return domain.GitLab }
