package httpapi

import (
	"context"
	"strings"

	"github.com/assay-dev/assay/internal/store"
)

// searchResults is the maximum number of results of each kind (design choice).
const searchResults = 10

// FoundPullRequest is a pull request that a search found. Title and author are text from outside.
type FoundPullRequest struct {
	PullRequest
	Repository RepositoryName `json:"repository"`
}

// SearchResults holds the pull requests and findings that a search found.
type SearchResults struct {
	PullRequests []FoundPullRequest `json:"pullRequests" doc:"By number or title, open ones first, at most 10"`
	Findings     []TenantFinding    `json:"findings" doc:"Open, published ones by title, the newest first, at most 10"`
	MoreFindings bool               `json:"moreFindings" doc:"Only the newest 1000 open findings were compared"`
}

// SearchInput is the input of GET T/search.
type SearchInput struct {
	InTenant
	Text string `query:"text" required:"true" minLength:"1" maxLength:"200" doc:"A part of a title, or a number" example:"retry"`
}

func (s *server) search(ctx context.Context, in *SearchInput) (*Read[SearchResults], error) {
	c := callerFrom(ctx)
	if err := s.limits.search.take(c.user.ID); err != nil {
		return nil, err
	}
	roles, err := s.rolesOf(ctx, c)
	if err != nil {
		return nil, err
	}
	out := SearchResults{PullRequests: []FoundPullRequest{}, Findings: []TenantFinding{}}
	f := store.SearchFilter{Text: strings.TrimSpace(in.Text), Limit: searchResults}
	if f.Text == "" {
		return read(out, nil)
	}
	if !roles.Everywhere() {
		f.User = c.user.ID
	}
	pulls, err := s.Store.SearchPulls(ctx, c.tenant, f)
	if err != nil {
		return nil, err
	}
	for _, v := range pulls {
		out.PullRequests = append(out.PullRequests, FoundPullRequest{
			PullRequest: PullRequest{Number: v.Number, Title: v.Title, Author: v.Author, State: v.State},
			Repository:  RepositoryName{v.Repository, v.Owner, v.Name}})
	}
	found, more, err := s.Store.SearchFindings(ctx, c.tenant, f)
	if err != nil {
		return nil, err
	}
	out.MoreFindings = more
	out.Findings = append(out.Findings, countedFindings(found, searchResults, roles, FindingCounts{}).Items...)
	return read(out, nil)
}
