package gitea

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// Probe implements [codehost.Connection]. The hosts report neither the scopes of a token nor its end. So
// Probe finds missing scopes by requests: it reads, and it deletes objects that cannot exist. The host
// refuses for a missing scope before it looks for the object (routers/api/v1/api.go, tokenRequiresScopes).
func (h *Host) Probe(ctx context.Context) (codehost.Probed, error) {
	const op = "probe"
	if h.instance.Owner == "" {
		return codehost.Probed{}, codehost.Refused(op, "the connection names no owner")
	}
	var out codehost.Probed
	var lacks deficits
	self, err := h.ownAccount(ctx)
	if err = lacks.scope(err, "read:user", "the service cannot tell its own reviews and comments from those of others"); err != nil {
		return codehost.Probed{}, err
	}
	out.Login, out.ID = self.login, wire.HostID(self.id)
	err = h.read(ctx, op, func(c *sdk.Client) (err error) {
		out.Version, _, err = c.ServerVersion()
		return err
	})
	if err != nil {
		return codehost.Probed{}, err
	}
	out.Version = wire.OneLine(out.Version, 80)
	if out.Owner, err = h.readOwner(ctx, op, &lacks); err != nil {
		return codehost.Probed{}, err
	}
	if out.Owner.Organization && self.login != "" {
		if err := h.probeMembership(ctx, op, self.login, &lacks); err != nil {
			return codehost.Probed{}, err
		}
	}
	if err := h.probeRepositories(ctx, op, out.Owner, &lacks); err != nil {
		return codehost.Probed{}, err
	}
	out.Missing, out.Lacking = lacks.sentences, lacks.scopes
	return out, nil
}

// needed are the scopes that reviews require. Without the other scopes some information is missing.
var needed = []string{"read:user", "write:repository", "write:issue"}

// deficits collects the deficits of a connection, each once.
type deficits struct {
	sentences []string
	scopes    []string // missing scopes among those in needed
}

func (m *deficits) add(format string, args ...any) {
	m.sentences = append(m.sentences, fmt.Sprintf(format, args...))
}

// scope converts the refusal of a scope to a sentence, and returns other errors.
func (m *deficits) scope(err error, scope, without string) error {
	if !refusesScope(err) {
		return err
	}
	said := fmt.Sprintf("The token lacks the scope %s, without which %s: make a token that has it.", scope, without)
	if !slices.Contains(needed, scope) {
		m.add("%s", said)
		return nil
	}
	m.sentences = slices.Insert(m.sentences, len(m.scopes), said) // before all minor deficits
	m.scopes = append(m.scopes, scope)
	return nil
}

// refusesScope reports whether the host refused because of the token's scopes, not because of the account's
// rights.
func refusesScope(err error) bool {
	e, ok := err.(*codehost.Error)
	return ok && e.Status == http.StatusForbidden && strings.Contains(e.Message, "required scope")
}

// readOwner reads the owner: an organisation, else a user.
func (h *Host) readOwner(ctx context.Context, op string, lacks *deficits) (codehost.RepoOwner, error) {
	var org *sdk.Organization
	err := h.read(ctx, op, func(c *sdk.Client) (err error) {
		org, _, err = c.GetOrg(h.instance.Owner)
		return err
	})
	if err == nil {
		return codehost.RepoOwner{ID: wire.HostID(org.ID), Login: org.UserName, Organization: true}, nil
	}
	if lacks != nil {
		err = lacks.scope(err, "read:organization", "teams are not seen, and so not what their members may do")
	} else if refusesScope(err) {
		err = nil
	}
	if err != nil && codehost.ClassOf(err) != codehost.ClassNotFound {
		return codehost.RepoOwner{}, err
	}
	var user *sdk.User
	err = h.read(ctx, op, func(c *sdk.Client) (err error) {
		user, _, err = c.GetUserInfo(h.instance.Owner)
		return err
	})
	if err != nil {
		return codehost.RepoOwner{}, err
	}
	return codehost.RepoOwner{ID: wire.HostID(user.ID), Login: user.UserName}, nil
}

// probeMembership checks whether the account belongs to the organisation. The host redirects outsiders to
// the list of public members (routers/api/v1/org/member.go, IsMember).
func (h *Host) probeMembership(ctx context.Context, op, login string, lacks *deficits) error {
	err := h.read(ctx, op, func(c *sdk.Client) error {
		_, _, err := c.CheckOrgMembership(h.instance.Owner, login)
		return err
	})
	e, refused := err.(*codehost.Error)
	if refused && (e.Class == codehost.ClassNotFound || e.Status == http.StatusSeeOther) {
		lacks.add("The account is not a member of %s, so that the members of its teams are not seen: add it to a team.", h.instance.Owner)
		return nil
	}
	if err != nil {
		return err
	}
	return h.probeTeams(ctx, op, lacks)
}

// probeTeams checks whether the account sees the members of the organisation's teams.
func (h *Host) probeTeams(ctx context.Context, op string, lacks *deficits) error {
	teams, whole, err := listAll(ctx, h, op, maxTeams, func(c *sdk.Client, opts sdk.ListOptions) ([]*sdk.Team, *sdk.Response, error) {
		return c.ListOrgTeams(h.instance.Owner, sdk.ListTeamsOptions{ListOptions: opts})
	}, wire.KeepNonNil)
	if err != nil {
		return lacks.scope(err, "read:organization", "teams are not seen, and so not what their members may do")
	}
	if !whole {
		lacks.add("%s has more than %d teams: those beyond are not looked at.", h.instance.Owner, maxTeams)
	}
	// The owners' team comes first, because an account that sees its members sees those of all teams.
	slices.SortStableFunc(teams, func(a, b *sdk.Team) int { return cmp.Compare(rankOfOwners(a), rankOfOwners(b)) })
	asked := teams[:min(len(teams), maxProbedTeams)]
	var hidden []string
	others := 0 // hidden teams except Owners
	for i, t := range asked {
		err := h.read(ctx, op, func(c *sdk.Client) error {
			_, _, err := c.ListTeamMembers(t.ID, sdk.ListTeamMembersOptions{ListOptions: sdk.ListOptions{PageSize: 1}})
			return err
		})
		switch {
		case err == nil && i == 0 && rankOfOwners(t) == 0:
			return nil
		case codehost.IsAccessLost(err):
			hidden = append(hidden, wire.OneLine(t.Name, 80))
			others += rankOfOwners(t)
		case err != nil:
			return err
		}
	}
	if len(hidden) == 0 {
		return nil
	}
	looked := fmt.Sprintf("%d teams of %s", len(teams), h.instance.Owner)
	if len(asked) < len(teams) {
		looked = fmt.Sprintf("%d teams of %s that were looked at, among %d", len(asked), h.instance.Owner, len(teams))
	}
	lacks.add("The account does not see who is in %d of %s (%s), because only their members and owners do: people with rights by "+
		"these teams are known in part only. %s",
		len(hidden), looked, joinNames(hidden), howToSee(others))
	return nil
}

// maxProbedTeams is the most teams whose members one probe reads, because a person waits for it (design
// choice).
const maxProbedTeams = 30

// rankOfOwners returns 0 for the owners' team, and 1 for others.
func rankOfOwners(t *sdk.Team) int {
	if t.Permission == sdk.AccessModeOwner {
		return 0
	}
	return 1
}

// maxNamed is the most teams that a sentence names (design choice).
const maxNamed = 10

// joinNames lists the first teams, and counts the others.
func joinNames(teams []string) string {
	out := strings.Join(teams[:min(len(teams), maxNamed)], ", ")
	if more := len(teams) - maxNamed; more > 0 {
		out += fmt.Sprintf(" and %d more", more)
	}
	return out
}

// howToSee says how the account can see the members of hidden teams. others is the number of hidden teams
// except the owners' team, which an account may not want to join.
func howToSee(others int) string {
	if others == 0 {
		return "Reviews work without that. To know all people, add the account to the team Owners."
	}
	return "Add the account to the team Owners, or to each other one of these teams."
}

// probeRepositories checks the account's rights on the token's repositories, and requests on one of them.
func (h *Host) probeRepositories(ctx context.Context, op string, owner codehost.RepoOwner, lacks *deficits) error {
	list, err := h.listOwned(ctx, op, owner)
	if refusesScope(err) {
		return lacks.scope(err, "write:repository", "no repository can be read and nothing be published")
	}
	if err != nil {
		return err
	}
	var first *ownedRepository
	strange, unwritten, unmanaged := 0, 0, 0
	for _, r := range list {
		if r.Archived {
			continue
		}
		p := r.permissions
		switch {
		case p == nil:
			strange++
			continue
		case !p.Push:
			unwritten++
		}
		if !p.Admin {
			unmanaged++
		}
		if first == nil {
			first = &r
		}
	}
	if len(list) == 0 || first == nil && strange == 0 {
		lacks.add("%s has no repository that the token reaches: let the account join its teams, or add it as a collaborator.", owner.Login)
	}
	if unwritten > 0 {
		lacks.add("The account cannot write to %d of %d repositories, so no commit status is shown there. Give it write access to code.",
			unwritten, len(list))
	}
	if unmanaged > 0 {
		lacks.add("The account does not administer %d of %d repositories: there webhooks are made by hand, and a command is refused if "+
			"neither a team that the account sees nor the list of assignees shows that its author may write.", unmanaged, len(list))
	}
	if first == nil {
		return nil
	}
	at := codehost.Repo{Owner: first.Owner, Name: first.Name}
	for _, ask := range []struct {
		op, scope, without string
		fn                 func(*sdk.Client) error
	}{
		{"delete review", "write:repository", "nothing can be published", func(c *sdk.Client) error {
			_, err := c.DeletePullReview(at.Owner, at.Name, 0, 0)
			return err
		}},
		{"edit comment", "write:issue", "commands cannot be answered, nor published comments edited", func(c *sdk.Client) error {
			_, err := c.DeleteIssueComment(at.Owner, at.Name, 0)
			return err
		}},
	} {
		// Not ambiguous, because there is no object with the id 0.
		err := h.run(ctx, &wire.Call{Op: op, Key: h.instance.Key, Write: true}, ask.fn)
		if refusesScope(err) {
			err = lacks.scope(err, ask.scope, ask.without)
		}
		switch codehost.ClassOf(err) {
		case codehost.ClassForbidden:
			lacks.add("%s", codehost.RefusedSentence(h.instance.Kind, ask.op, "/repos/"+at.FullName(),
				wire.OneLine(err.(*codehost.Error).Message, 200)))
		case "", codehost.ClassNotFound, codehost.ClassInvalid: // the host looked for it, so the scope suffices
		default:
			return err
		}
	}
	return nil
}

// Repositories implements [codehost.Connection].
func (h *Host) Repositories(ctx context.Context) ([]codehost.RepoInfo, error) {
	const op = "list repositories"
	if h.instance.Owner == "" {
		return nil, codehost.Refused(op, "the connection names no owner")
	}
	owner, err := h.readOwner(ctx, op, nil)
	if err != nil {
		return nil, err
	}
	list, err := h.listOwned(ctx, op, owner)
	if err != nil {
		return nil, err
	}
	out := make([]codehost.RepoInfo, 0, len(list))
	for _, r := range list {
		out = append(out, r.RepoInfo)
	}
	return out, nil
}

// listOwned lists the repositories of the owner, each once.
func (h *Host) listOwned(ctx context.Context, op string, owner codehost.RepoOwner) ([]ownedRepository, error) {
	seen := map[int64]bool{}
	list, whole, err := listAll(ctx, h, op, codehost.MaxConnectionRepositories,
		func(c *sdk.Client, opts sdk.ListOptions) ([]*sdk.Repository, *sdk.Response, error) {
			if owner.Organization {
				return c.ListOrgRepos(h.instance.Owner, sdk.ListOrgReposOptions{ListOptions: opts})
			}
			return c.ListUserRepos(h.instance.Owner, sdk.ListReposOptions{ListOptions: opts})
		}, func(r *sdk.Repository) (ownedRepository, bool) {
			if r == nil || r.ID <= 0 || seen[r.ID] || r.Owner != nil && wire.HostID(r.Owner.ID) != owner.ID {
				return ownedRepository{}, false
			}
			seen[r.ID] = true
			return ownedRepository{repoInfo(r), r.Permissions}, true
		})
	if err != nil {
		return nil, err
	}
	if !whole {
		return nil, wire.TooMany(op, codehost.MaxConnectionRepositories, "repositories of the owner")
	}
	return list, nil
}

// ownedRepository is a repository of the owner with the account's rights.
type ownedRepository struct {
	codehost.RepoInfo
	permissions *sdk.Permission // of the account; nil if the host does not report it
}

// Resolve implements [codehost.Reader].
func (h *Host) Resolve(ctx context.Context, repo codehost.Repo) (codehost.RepoInfo, error) {
	const op = "resolve repository"
	n, err := wire.NumberOfID(op, repo.ExternalID)
	if err != nil {
		return codehost.RepoInfo{}, err
	}
	var r *sdk.Repository
	err = h.read(ctx, op, func(c *sdk.Client) (err error) {
		r, _, err = c.GetRepoByID(n)
		return err
	})
	if err != nil {
		return codehost.RepoInfo{}, err
	}
	return repoInfo(r), nil
}
