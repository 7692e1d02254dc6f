package azuredevops

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"

	"github.com/assay-dev/assay/sim/azuredevops/simapi"
	"github.com/assay-dev/assay/sim/host"
)

// hashToken returns the key of a token in the state.
func hashToken(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// newToken makes a token. Server.Mu is held.
func (s *Server) newToken(t token) string {
	text := host.RandomHex(26)
	t.ID = s.st.ID("token")
	s.st.Tokens[hashToken(text)] = &t
	return text
}

// authenticate returns the account of a request's token: a personal one as the password of Basic, that of a service principal as a
// bearer or, for git, as the password.
func (s *Server) authenticate(r *http.Request) *user {
	text, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !bearer {
		raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(r.Header.Get("Authorization"), "Basic "))
		if err != nil {
			return nil
		}
		_, text, _ = strings.Cut(string(raw), ":")
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	t := s.st.Tokens[hashToken(text)]
	if t == nil || t.Ends != 0 && s.Now().Unix() >= t.Ends || bearer && !t.Bearer {
		return nil
	}
	if u := s.st.Users[t.UserID]; u != nil && !u.Blocked {
		return u
	}
	return nil
}

// devopsScope is the scope of access tokens for Azure DevOps: its application's id with "/.default"
// (learn.microsoft.com/azure/devops/integrate/get-started/authentication/service-principal-managed-identity).
const devopsScope = "499b84ac-1321-427f-aa17-267ca6975798/.default"

// issueToken is Entra's token endpoint with the grant client_credentials.
func issueToken(c *call) *reply {
	form, err := url.ParseQuery(string(c.Body))
	refuse := func(word, why string) *reply {
		return host.JSON(http.StatusUnauthorized, obj{"error": word, "error_description": why, "correlation_id": host.NewGUID()})
	}
	if err != nil || form.Get("grant_type") != "client_credentials" || form.Get("scope") != devopsScope {
		return host.JSON(http.StatusBadRequest, obj{"error": "invalid_request", "error_description": "AADSTS900144: The request is wrong."})
	}
	app, known := c.s.st.Apps[strings.ToLower(form.Get("client_id"))]
	switch {
	case !known || !strings.EqualFold(app.Tenant, c.Vars["tenant"]):
		return refuse("unauthorized_client", "AADSTS700016: Application was not found in the directory.")
	case form.Get("client_secret") != app.Secret:
		return refuse("invalid_client", "AADSTS7000215: Invalid client secret provided.")
	}
	life := app.LifeSeconds
	if life == 0 {
		life = 3600
	}
	u := c.s.st.user(app.Login)
	text := c.s.newToken(token{UserID: u.ID, Bearer: true, Ends: c.s.Now().Unix() + life})
	return ok(obj{"token_type": "Bearer", "expires_in": life, "ext_expires_in": life, "access_token": text})
}

// identity returns an account in the form of references.
func (s *Server) identity(id int64) obj {
	u := s.st.Users[id]
	if u == nil {
		return nil
	}
	kind := "aad."
	if u.App {
		kind = "aadsp."
	}
	return obj{"id": u.guid(), "displayName": u.Name, "uniqueName": u.Login,
		"descriptor": kind + base64.RawURLEncoding.EncodeToString([]byte(u.guid())),
		"imageUrl":   s.Base + "/_avatars/" + u.guid(), "url": s.Base + "/_apis/Identities/" + u.guid()}
}

// connectionData answers the account of the token (learn.microsoft.com has no page of it; the form is that of the clients
// azure-devops-node-api, LocationApi, and azure-devops-python-api, location).
func connectionData(c *call) *reply {
	return ok(obj{"authenticatedUser": obj{"id": c.user.guid(), "descriptor": identityDescriptor(c.user), "providerDisplayName": c.user.Name,
		"isActive": true, "properties": obj{"Account": obj{"$type": "System.String", "$value": c.user.Login}}},
		"instanceId": simapi.ID("project", 1), "deploymentType": "hosted"})
}

func identityDescriptor(u *user) string {
	if u.App {
		return "Microsoft.VisualStudio.Services.Claims.AadServicePrincipal;" + u.guid()
	}
	return "Microsoft.IdentityModel.Claims.ClaimsIdentity;" + u.guid() + "\\" + u.Login
}

// The groups of a project that give rights.
var projectGroups = map[string]string{"Project Administrators": "admin", "Contributors": "write", "Readers": "read"}

// collectionGroup is the group of an organisation's administrators.
const collectionGroup = "Project Collection Administrators"

func groupDescriptor(scope, name string) string {
	return "Microsoft.TeamFoundation.Identity;S-1-9-" + hashToken(strings.ToLower(scope) + "|" + name)[:20]
}

// identities searches accounts and groups by an id, a unique name or the name of a group (learn.microsoft.com/rest/api/azure/devops/ims,
// Identities - Read Identities). queryMembership=Expanded adds members of groups and the groups of accounts, all levels.
func identities(c *call) *reply {
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	expanded := strings.EqualFold(c.Query.Get("queryMembership"), "Expanded") && !c.s.On(simapi.NoIdentities)
	if c.s.On(simapi.NoIdentities) && c.Query.Get("searchFilter") == "General" && strings.HasPrefix(c.Query.Get("filterValue"), "[") {
		return failure(http.StatusForbidden, "AccessCheckException", "Access denied: the token needs the scope vso.identity.")
	}
	out := []any{}
	switch value := c.Query.Get("filterValue"); {
	case c.Query.Get("identityIds") != "":
		for id := range strings.SplitSeq(c.Query.Get("identityIds"), ",") {
			if u := c.s.st.userOf(id); u != nil {
				out = append(out, c.person(u, expanded))
			} else {
				out = append(out, nil)
			}
		}
	case c.Query.Get("descriptors") != "":
		for d := range strings.SplitSeq(c.Query.Get("descriptors"), ",") {
			for _, u := range host.ByKey(c.s.st.Users) {
				if identityDescriptor(u) == d {
					out = append(out, c.person(u, expanded))
				}
			}
		}
	case strings.HasPrefix(value, "["):
		out = c.groups(value, expanded)
	default:
		for _, u := range host.ByKey(c.s.st.Users) {
			if strings.EqualFold(u.Login, value) || strings.EqualFold(u.Name, value) {
				out = append(out, c.person(u, expanded))
			}
		}
	}
	return list(out)
}

// person renders an account. Server.Mu is held.
func (c *call) person(u *user, expanded bool) obj {
	o := obj{"id": u.guid(), "descriptor": identityDescriptor(u), "providerDisplayName": u.Name, "isActive": !u.Blocked, "isContainer": false,
		"properties": obj{"Account": obj{"$type": "System.String", "$value": u.Login},
			"SchemaClassName": obj{"$type": "System.String", "$value": "User"}}, "memberOf": []any{}, "members": []any{}}
	if !expanded || u.Blocked {
		return o
	}
	groups := []any{}
	for _, p := range host.ByKey(c.s.st.Projects) {
		if !strings.EqualFold(p.Org, c.Vars["org"]) {
			continue
		}
		for name, role := range projectGroups {
			if c.s.inGroup(u, p, role) {
				groups = append(groups, groupDescriptor(p.Name, name))
			}
		}
	}
	if o := c.s.st.Orgs[strings.ToLower(c.Vars["org"])]; o.Admins[u.ID] {
		groups = append(groups, groupDescriptor(o.Name, collectionGroup))
	}
	o["memberOf"] = groups
	return o
}

// inGroup reports whether an account is in the group of a project for a right. Administrators of the organisation are in that of the
// project's administrators, and members of the organisation in that of its readers. Server.Mu is held.
func (s *Server) inGroup(u *user, p *project, role string) bool {
	o := s.st.Orgs[strings.ToLower(p.Org)]
	switch {
	case p.Roles[u.ID] == role:
		return true
	case role == "admin":
		return o.Admins[u.ID]
	}
	return role == "read" && o.People[u.ID]
}

// groups finds a group by "[scope]\name". Server.Mu is held.
func (c *call) groups(value string, expanded bool) []any {
	scope, name, found := strings.Cut(strings.TrimPrefix(value, "["), `]\`)
	if !found {
		return []any{}
	}
	o := c.s.st.Orgs[strings.ToLower(c.Vars["org"])]
	var in func(*user) bool
	if p := c.s.st.projectIn(c.Vars["org"], scope); p != nil && projectGroups[name] != "" {
		in = func(u *user) bool { return c.s.inGroup(u, p, projectGroups[name]) }
		scope = p.Name
	} else if strings.EqualFold(scope, o.Name) && name == collectionGroup {
		in = func(u *user) bool { return o.Admins[u.ID] }
		scope = o.Name
	}
	if in == nil {
		return []any{}
	}
	members := []any{}
	for _, u := range host.ByKey(c.s.st.Users) {
		if expanded && in(u) && !u.Blocked {
			members = append(members, identityDescriptor(u))
		}
	}
	return []any{obj{"id": simapi.ID("group", int64(len(name))), "descriptor": groupDescriptor(scope, name), "providerDisplayName": value,
		"isActive": true, "isContainer": true, "members": members, "memberOf": []any{},
		"properties": obj{"SchemaClassName": obj{"$type": "System.String", "$value": "Group"}}}}
}
