package github

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
	return simapi.Issue{Number: i.Number, HTMLURL: s.view().issueHTML(r, i.Number)}, nil
}

func (v view) issueHTML(r *repository, number int) string {
	return fmt.Sprintf("%s/issues/%d", v.repoHTML(r), number)
}

// getIssue returns an issue. A pull request is an issue with the field pull_request.
func getIssue(c *call) *reply {
	number := int(c.Number("pull_number"))
	v := c.view()
	if i := host.IssueNumbered(c.repo.Issues, number); i != nil {
		return ok(v.hostIssue(c.repo, i, c.repo.Owner))
	}
	p := c.repo.Pulls[number]
	if p == nil {
		return notFound()
	}
	o := v.hostIssue(c.repo, &host.Issue{ID: p.IssueID, Number: number, Title: p.Title, Body: p.Body, Created: p.Created}, p.Author)
	api := fmt.Sprintf("%s/pulls/%d", v.repoAPI(c.repo), number)
	page := fmt.Sprintf("%s/pull/%d", v.repoHTML(c.repo), number)
	o["html_url"] = page
	o["pull_request"] = obj{"url": api, "html_url": page, "diff_url": page + ".diff", "patch_url": page + ".patch"}
	return ok(o)
}

func (v view) hostIssue(r *repository, i *host.Issue, author string) obj {
	api := fmt.Sprintf("%s/issues/%d", v.repoAPI(r), i.Number)
	return obj{"id": i.ID, "node_id": nodeID("I", i.ID), "number": i.Number, "title": i.Title, "body": orNil(i.Body), "state": "open",
		"url": api, "html_url": v.issueHTML(r, i.Number), "repository_url": v.repoAPI(r), "labels_url": api + "/labels{/name}",
		"comments_url": api + "/comments", "events_url": api + "/events", "user": v.user(author), "labels": []any{}, "assignee": nil,
		"assignees": []any{}, "milestone": nil, "locked": false, "comments": 0, "closed_at": nil, "author_association": "OWNER",
		"created_at": i.Created.RFC3339(), "updated_at": i.Created.RFC3339()}
}
