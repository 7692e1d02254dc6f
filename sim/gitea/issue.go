package gitea

import (
	"context"
	"fmt"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/simapi"
)

// OpenIssue opens an issue. It shares its numbers with pull requests.
func (s *Server) OpenIssue(_ context.Context, fullName string, in simapi.IssueSpec) (simapi.Issue, error) {
	r, err := s.FindRepo(fullName)
	if err != nil {
		return simapi.Issue{}, err
	}
	i, err := s.AddIssue(&r.Issues, in, func() (int64, int) {
		r.NextNumber++
		return s.st.ID("issue"), r.NextNumber - 1
	})
	if err != nil {
		return simapi.Issue{}, err
	}
	return simapi.Issue{Number: i.Number, HTMLURL: s.view().issueHTML(r, i)}, nil
}

func (v view) issueHTML(r *repository, i *host.Issue) string {
	return fmt.Sprintf("%s/issues/%d", v.repoHTML(r), i.Number)
}

// hostIssue renders an issue that is not a pull request.
func (v view) hostIssue(r *repository, i *host.Issue) obj {
	return obj{"id": i.ID, "url": fmt.Sprintf("%s/issues/%d", v.repoAPI(r), i.Number), "html_url": v.issueHTML(r, i), "number": i.Number,
		"user": v.user(r.Owner), "original_author": "", "original_author_id": 0, "title": i.Title, "body": i.Body, "ref": "",
		"assets": []any{}, "labels": []any{}, "milestone": nil, "assignee": nil, "assignees": nil, "state": "open", "is_locked": false,
		"comments": 0, "created_at": timeOf(i.Created), "updated_at": timeOf(i.Created), "closed_at": nil, "due_date": nil,
		"time_estimate": 0, "pin_order": 0, "content_version": 0, "pull_request": nil,
		"repository": obj{"id": r.ID, "name": r.Name, "owner": r.Owner, "full_name": r.FullName()}}
}

func getHostIssue(c *call) *reply {
	c.s.Mu.Lock()
	i := host.IssueNumbered(c.repo.Issues, int(c.Number("index")))
	if i == nil {
		c.s.Mu.Unlock()
		return c.notFound()
	}
	defer c.s.Mu.Unlock()
	return ok(c.view().hostIssue(c.repo, i))
}
