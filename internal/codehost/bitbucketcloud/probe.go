package bitbucketcloud

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// need is a permission that the connection needs. The words are those of access tokens and OAuth consumers, and of API tokens
// (developer.atlassian.com/cloud/bitbucket/rest/intro, "OAuth 2.0 scopes" and "API token scopes"); a wider one includes it. The scopes
// of pull requests include that of reading repositories, except for API tokens.
type need struct {
	words    []string
	required bool
	without  string // consequence of its lack
}

var needs = []need{
	{[]string{"repository", "repository:write", "repository:admin", "pullrequest", "pullrequest:write",
		"read:repository:bitbucket"}, true, "repositories are not read"},
	{[]string{"pullrequest", "pullrequest:write", "write:pullrequest:bitbucket"}, true, "no review is published"},
	{[]string{"webhook", "write:webhook:bitbucket"}, false, "a person has to make the webhooks"},
	{[]string{"pipeline", "pipeline:write", "read:pipeline:bitbucket"}, false, "failed pipelines are not analysed"},
	{[]string{"repository:write", "repository:admin", "write:repository:bitbucket"}, false, "fixes are not committed"},
}

// isMet reports whether scopes have the permission.
func (n need) isMet(scopes []string) bool {
	return slices.ContainsFunc(n.words, func(w string) bool { return slices.Contains(scopes, w) })
}

// Probe implements [codehost.Connection]. The host returns the scopes of a credential in a header of its answers (seen in the answers of
// jenkinsci/bitbucket-branch-source-plugin#192), and no end of it.
func (h *Host) Probe(ctx context.Context) (codehost.Probed, error) {
	const op = "probe"
	if err := h.needOwner(op); err != nil {
		return codehost.Probed{}, err
	}
	var out codehost.Probed
	self, err := h.ownAccount(ctx)
	if err != nil {
		return out, err
	}
	out.Login, out.ID, out.Scopes, out.ScopesKnown = self.login, self.id, self.scopes, self.scopes != nil
	if self.id == "" {
		out.Missing = append(out.Missing, "The token may not read its own account (scope account). Until assay has written a comment, "+
			"it takes the comments of all access tokens for its own.")
	}
	for _, n := range needs {
		if !out.ScopesKnown || n.isMet(self.scopes) {
			continue
		}
		word := n.words[0]
		if !h.auth.bearer {
			word = n.words[len(n.words)-1]
		}
		out.Missing = append(out.Missing, fmt.Sprintf("The token lacks the scope %s, without which %s: make a token that has it.", word,
			n.without))
		if n.required {
			out.Lacking = append(out.Lacking, word)
		}
	}
	if len(out.Lacking) > 0 {
		return out, nil
	}
	if out.Owner, err = h.probeOwner(ctx, op); err != nil {
		return codehost.Probed{}, err
	}
	missing, err := h.missingRights(ctx, op)
	if err != nil {
		return codehost.Probed{}, err
	}
	out.Missing = append(out.Missing, missing...)
	return out, nil
}

// probeOwner reads the workspace. If the token may not see it, as one of a repository, a repository names it.
func (h *Host) probeOwner(ctx context.Context, op string) (codehost.RepoOwner, error) {
	owner, err := h.workspace(ctx, op, h.client.Owner)
	if codehost.ClassOf(err) != codehost.ClassForbidden {
		return owner, err
	}
	newest, _, listErr := list(ctx, h, op, "/repositories/"+h.client.Owner+"?pagelen=1", 1, wire.KeepNonNil[repository])
	if listErr != nil || len(newest) == 0 || newest[0].ownerID() == "" {
		return owner, err
	}
	return codehost.RepoOwner{ID: newest[0].ownerID(), Login: newest[0].info().Owner, Organization: true}, nil
}

// missingRights describes the work that the account's rights do not allow, from the list of repositories by the role of the account.
func (h *Host) missingRights(ctx context.Context, op string) (out []string, err error) {
	every, err := h.Repositories(ctx)
	if err != nil {
		return nil, err
	}
	if len(every) == 0 {
		return []string{"The account reaches no repository of the workspace: give it access."}, nil
	}
	for _, r := range []struct{ role, without string }{
		{"contributor", "may not write to %d of %d repositories (such as %s), so fixes are not committed there, and no build status is shown"},
		{"admin", "does not administer %d of %d repositories (such as %s), so there a person has to make the webhooks, and assay does not " +
			"see the rights of people: commands of people who are not known to write are refused"},
	} {
		has, err := h.withRole(ctx, op, r.role)
		if err != nil {
			return nil, err
		}
		var lacks []string
		for _, one := range every {
			if !has[one.ExternalID] {
				lacks = append(lacks, one.Name)
			}
		}
		if len(lacks) > 0 {
			out = append(out, "The account "+fmt.Sprintf(r.without, len(lacks), len(every), wire.OneLine(lacks[0], 100))+".")
		}
	}
	return out, nil
}

func (h *Host) withRole(ctx context.Context, op, role string) (map[domain.HostID]bool, error) {
	out := map[domain.HostID]bool{}
	_, err := all(ctx, h, op, "/repositories/"+h.client.Owner+"?pagelen=100&role="+role, "repositories of the workspace",
		codehost.MaxConnectionRepositories, func(r *repository) (struct{}, bool) {
			if r != nil {
				out[hostID(r.UUID)] = true
			}
			return struct{}{}, false
		})
	return out, err
}

// Repositories implements [codehost.Connection] with the repositories of the workspace that the account is a member of. Public
// repositories in which it has no right of its own are left out.
func (h *Host) Repositories(ctx context.Context) ([]codehost.RepoInfo, error) {
	const op = "list repositories"
	if err := h.needOwner(op); err != nil {
		return nil, err
	}
	seen := map[domain.HostID]bool{}
	return all(ctx, h, op, "/repositories/"+h.client.Owner+"?pagelen=100&role=member", "repositories of the workspace",
		codehost.MaxConnectionRepositories, func(r *repository) (codehost.RepoInfo, bool) {
			if r == nil || hostID(r.UUID) == "" || seen[hostID(r.UUID)] || !strings.Contains(r.FullName, "/") {
				return codehost.RepoInfo{}, false
			}
			seen[hostID(r.UUID)] = true
			return r.info(), true
		})
}
