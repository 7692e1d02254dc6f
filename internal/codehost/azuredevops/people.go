package azuredevops

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// identity is an account or a group (learn.microsoft.com/rest/api/azure/devops/ims, "Identities - Read Identities").
type identity struct {
	ID         string `json:"id"`
	Descriptor string `json:"descriptor"`
	Name       string `json:"providerDisplayName"`
	Active     bool   `json:"isActive"`
	Container  bool   `json:"isContainer"`
	Properties struct {
		Account struct {
			Value string `json:"$value"`
		} `json:"Account"`
		Domain struct {
			Value string `json:"$value"`
		} `json:"Domain"`
	} `json:"properties"`
	Members  []string `json:"members"`  // descriptors
	MemberOf []string `json:"memberOf"` // descriptors
}

// login returns the unique name: the address of an account of Entra, whose domain is the id of its directory, or DOMAIN\name on Azure
// DevOps Server.
func (i identity) login() string {
	name, domain := i.Properties.Account.Value, i.Properties.Domain.Value
	if domain == "" || guidForm.MatchString(domain) || strings.ContainsAny(name, `@\`) {
		return name
	}
	return domain + `\` + name
}

// isPerson reports whether an identity is a person: neither a group nor the account of a service or of an application.
func (i identity) isPerson() bool {
	kind, _, _ := strings.Cut(i.Descriptor, ";")
	return !i.Container && guid(i.ID) != "" && !strings.Contains(kind, "ServiceIdentity") && !strings.Contains(kind, "ServicePrincipal")
}

// identitiesRoot returns the address of identities: the cloud keeps them on a machine of its own.
func (h *Host) identitiesRoot() string {
	u, err := url.Parse(h.instance.Base)
	if err != nil || !isCloud(h.instance.Base) {
		return ""
	}
	if name := u.Hostname(); name != "dev.azure.com" {
		organisation, _, _ := strings.Cut(name, ".")
		return "https://" + organisation + ".vssps.visualstudio.com"
	}
	return "https://vssps.dev.azure.com"
}

// identities searches identities of an organisation.
func (h *Host) identities(ctx context.Context, op, owner string, query url.Values) ([]identity, error) {
	var got answerList[*identity]
	err := h.run(ctx, &wire.Call{Op: op, Key: h.instance.Key, Bytes: wire.MaxDiffs},
		request{root: h.identitiesRoot(), path: orgPath(owner) + "/_apis/identities", query: query}, &got)
	var out []identity
	for _, i := range got.Value {
		if i != nil {
			out = append(out, *i)
		}
	}
	return out, err
}

// identityNamed finds a person by the unique name. It fails with [codehost.ClassNotFound] if there is no such person.
func (h *Host) identityNamed(ctx context.Context, op, owner, login string) (identity, error) {
	list, err := h.identities(ctx, op, owner, url.Values{"searchFilter": {"General"}, "filterValue": {login}, "queryMembership": {"None"}})
	if err != nil {
		return identity{}, err
	}
	for _, i := range list {
		if !i.Container && guid(i.ID) != "" && strings.EqualFold(i.login(), login) {
			return i, nil
		}
	}
	return identity{}, &codehost.Error{Class: codehost.ClassNotFound, Op: op, Message: "the host has no user with this login"}
}

// The groups that give rights: of every project, and of the organisation or collection (learn.microsoft.com/azure/devops/organizations/
// security/permissions). Rights that a person or another group has on one repository are not read.
var rightGroups = []struct {
	name, right string
	whole       bool // of the organisation
}{{"Project Collection Administrators", "admin", true}, {"Project Administrators", "admin", false}, {"Contributors", "write", false},
	{"Readers", "read", false}}

// projectGroups holds the groups of a project with their members.
type projectGroups struct {
	by   []identity // as rightGroups; an absent group is empty
	read time.Time
}

// groupsLast is how long the groups of a project are cached. A new member counts after that (design choice).
const groupsLast = time.Minute

// groupsOf reads the groups of a project.
func (h *Host) groupsOf(ctx context.Context, op string, owner string) (*projectGroups, error) {
	h.mu.Lock()
	known := h.groups[owner]
	h.mu.Unlock()
	if known != nil && time.Since(known.read) < groupsLast {
		return known, nil
	}
	organisation, project := divide(owner)
	out := &projectGroups{read: time.Now()}
	for _, g := range rightGroups {
		scope := project
		if g.whole {
			scope = organisation
		}
		list, err := h.identities(ctx, op, owner, url.Values{"searchFilter": {"General"}, "filterValue": {"[" + scope + `]\` + g.name},
			"queryMembership": {"Expanded"}})
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(list, func(x identity) bool { return x.Container })
		if i < 0 {
			list, i = []identity{{}}, 0
		}
		out.by = append(out.by, list[i])
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.groups) > 100 { // a bound of memory; projects of a connection are few
		clear(h.groups)
	}
	h.groups[owner] = out
	return out, nil
}

// right returns the right of a person, and whether the person administers the organisation.
func (g *projectGroups) right(i identity) (word string, whole bool) {
	for n, of := range rightGroups {
		group := g.by[n]
		if group.Descriptor != "" && (slices.Contains(i.MemberOf, group.Descriptor) || slices.Contains(group.Members, i.Descriptor)) {
			return of.right, of.whole
		}
	}
	return "none", false
}

// permission returns a person's right in the project of a repository.
func (h *Host) permission(ctx context.Context, op string, repo codehost.Repo, visibility string, i identity) (string, error) {
	if !i.Active {
		return "none", nil
	}
	groups, err := h.groupsOf(ctx, op, repo.Owner)
	if err != nil {
		return "", err
	}
	word, _ := groups.right(i)
	if word == "none" && visibility == "public" {
		word = "read"
	}
	return word, nil
}

// repository reads a repository by its name.
func (h *Host) repository(ctx context.Context, op string, repo codehost.Repo) (repositoryRef, error) {
	if err := checkRepo(op, repo); err != nil {
		return repositoryRef{}, err
	}
	var r repositoryRef
	err := h.read(ctx, op, request{path: repoPath(repo)}, &r)
	if err == nil && guid(r.ID) == "" {
		err = unexpected(op, "the answer is not the repository")
	}
	return r, err
}

// repositoryOf reads a repository of an organisation by its id.
func (h *Host) repositoryOf(ctx context.Context, op, owner string, id domain.HostID) (repositoryRef, error) {
	if guid(string(id)) == "" {
		return repositoryRef{}, &codehost.Error{Class: codehost.ClassNotFound, Op: op, Message: "this is not an id of a repository of this host"}
	}
	if !validOwner(owner) {
		return repositoryRef{}, codehost.Refused(op, "the owner must be an organisation, or organisation/project")
	}
	var r repositoryRef
	err := h.read(ctx, op, request{path: orgPath(owner) + "/_apis/git/repositories/" + string(id)}, &r)
	if err == nil && (guid(r.ID) != guid(string(id)) || !validName(r.Name) || !validName(r.Project.Name)) {
		err = unexpected(op, "the answer is not the repository")
	}
	return r, err
}

// Resolve implements [codehost.Reader].
func (h *Host) Resolve(ctx context.Context, repo codehost.Repo) (codehost.RepoInfo, error) {
	r, err := h.repositoryOf(ctx, "resolve repository", cmp.Or(repo.Owner, h.instance.Owner), repo.ExternalID)
	if err != nil {
		return codehost.RepoInfo{}, err
	}
	organisation, _ := divide(cmp.Or(repo.Owner, h.instance.Owner))
	return r.info(organisation), nil
}

// Permission implements [codehost.Reader].
func (h *Host) Permission(ctx context.Context, repo codehost.Repo, login string) (string, error) {
	const op = "read permission"
	if err := checkRepo(op, repo); err != nil {
		return "", err
	}
	if !validLogin(login) {
		return "", codehost.Refused(op, "the login must be that of a user")
	}
	h = h.people
	i, err := h.identityNamed(ctx, op, repo.Owner, login)
	if err != nil {
		return "", err
	}
	return h.permissionOf(ctx, op, repo, guid(i.ID), func() (repositoryRef, error) { return h.repository(ctx, op, repo) })
}

// PermissionOf implements [codehost.Connection]. It does not need the login, because the host finds people by their ids.
func (h *Host) PermissionOf(ctx context.Context, repo codehost.Repo, person domain.HostID, _ string) (string, error) {
	const op = "read permission of a person"
	if err := checkRepo(op, repo); err != nil {
		return "", err
	}
	if guid(string(person)) == "" {
		return "", &codehost.Error{Class: codehost.ClassNotFound, Op: op, Message: "this is not an id of a person of this host"}
	}
	h = h.people
	return h.permissionOf(ctx, op, repo, person, func() (repositoryRef, error) {
		return h.repositoryOf(ctx, op, repo.Owner, repo.ExternalID)
	})
}

// permissionOf reads a person with the groups of all levels, and returns the right in the repository's project.
func (h *Host) permissionOf(ctx context.Context, op string, repo codehost.Repo, person domain.HostID,
	find func() (repositoryRef, error)) (string, error) {
	r, err := find()
	if err != nil {
		return "", err
	}
	list, err := h.identities(ctx, op, repo.Owner, url.Values{"identityIds": {string(person)}, "queryMembership": {"Expanded"}})
	if err != nil {
		return "", err
	}
	k := slices.IndexFunc(list, func(i identity) bool { return guid(i.ID) == person })
	if k < 0 {
		return "", &codehost.Error{Class: codehost.ClassNotFound, Op: op, Message: "the host has no such person"}
	}
	organisation, _ := divide(repo.Owner)
	repo.Owner = organisation + "/" + r.Project.Name
	return h.permission(ctx, op, repo, r.Project.Visibility, list[k])
}

// batch is the most identities that one request asks for by their descriptors, which are long.
const batch = 20

// Members implements [codehost.Connection] with the people in the groups of the repository's project. Owners are the administrators of
// the organisation or of the project, depending on the connection's owner.
func (h *Host) Members(ctx context.Context, repo codehost.Repo) ([]codehost.Member, error) {
	const op = "list members"
	if err := checkRepo(op, repo); err != nil {
		return nil, err
	}
	h = h.people
	if _, err := h.repository(ctx, op, repo); err != nil {
		return nil, err
	}
	groups, err := h.groupsOf(ctx, op, repo.Owner)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, g := range groups.by {
		all = append(all, g.Members...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	if len(all) > codehost.MaxMembers {
		return nil, wire.TooMany(op, codehost.MaxMembers, "members of the project")
	}
	_, ofProject := divide(h.instance.Owner)
	var out []codehost.Member
	for part := range slices.Chunk(all, batch) {
		list, err := h.identities(ctx, op, repo.Owner, url.Values{"descriptors": {strings.Join(part, ",")}, "queryMembership": {"None"}})
		if err != nil {
			return nil, err
		}
		for _, i := range list {
			word, whole := groups.right(i)
			if !i.isPerson() || !i.Active || word == "none" {
				continue
			}
			m := codehost.Member{ID: guid(i.ID), Login: i.login(), Permission: word, Account: codehost.AccountMember}
			if whole || ofProject != "" && word == "admin" {
				m.Account = codehost.AccountOwner
			}
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b codehost.Member) int { return cmp.Compare(a.ID, b.ID) })
	return slices.CompactFunc(out, func(a, b codehost.Member) bool { return a.ID == b.ID }), nil
}
