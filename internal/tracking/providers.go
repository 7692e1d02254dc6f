package tracking

import (
	"cmp"
	"context"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/patch"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/store"
)

// MaxProviders is the maximum number of code-host connections of a tenant (design choice).
const MaxProviders = 50

// ProviderConnectionCreate is a new connection to a code host.
type ProviderConnectionCreate struct {
	Kind             string       `json:"kind" enum:"gitlab,bitbucket-cloud,bitbucket-dc,gitea,forgejo,azure-devops" example:"gitea"`
	Name             string       `json:"name" minLength:"1" maxLength:"100" example:"Payments on Gitea"`
	BaseURL          string       `json:"baseUrl,omitempty" maxLength:"500" doc:"Address of the host. Absent: the public one of gitlab, bitbucket-cloud and azure-devops; the others need it" example:"https://gitea.example.com"`
	Owner            string       `json:"owner" minLength:"1" maxLength:"255" doc:"Group, user or * for every project with the account as a member (GitLab; * not on gitlab.com, where any user can make it a member), workspace (Bitbucket Cloud), project key (Bitbucket Data Center), user or organisation (Gitea, Forgejo), organisation or organisation/project (Azure DevOps)" example:"acme"`
	Token            string       `json:"token" minLength:"8" maxLength:"4096" writeOnly:"true" doc:"Access token; see the documentation for its scopes" example:"example-token"`
	Username         string       `json:"username,omitempty" maxLength:"255" doc:"Bitbucket Cloud: the email address of an API token's account, or the key of an OAuth consumer, whose secret is the token. Absent for access tokens and other hosts"`
	EntraTenant      string       `json:"entraTenant,omitempty" maxLength:"120" doc:"Azure DevOps: directory; the token is the client secret"`
	EntraClient      string       `json:"entraClient,omitempty" maxLength:"120" doc:"Azure DevOps: application id in that directory"`
	Repositories     Repositories `json:"repositories"`
	RegisterWebhooks bool         `json:"registerWebhooks,omitempty" doc:"Register the webhook at the host, where the token allows it"`
	Enabled          *bool        `json:"enabled,omitempty" doc:"True where absent"`
}

// ProviderConnectionUpdate changes a connection. Absent fields stay. A change of kind, baseUrl or owner
// requires the token again, and ends the webhook secret.
type ProviderConnectionUpdate struct {
	Kind             patch.Value[string]       `json:"kind,omitzero" enum:"gitlab,bitbucket-cloud,bitbucket-dc,gitea,forgejo,azure-devops" doc:"Needs the token again"`
	Name             patch.Value[string]       `json:"name,omitzero" minLength:"1" maxLength:"100" example:"Payments"`
	BaseURL          patch.Value[string]       `json:"baseUrl,omitzero" minLength:"1" maxLength:"500" doc:"Needs the token again"`
	Owner            patch.Value[string]       `json:"owner,omitzero" minLength:"1" maxLength:"255" doc:"Needs the token again"`
	Token            patch.Value[string]       `json:"token,omitzero" minLength:"8" maxLength:"4096" writeOnly:"true"`
	Username         patch.Nullable[string]    `json:"username,omitzero" maxLength:"255"`
	EntraTenant      patch.Nullable[string]    `json:"entraTenant,omitzero" maxLength:"120"`
	EntraClient      patch.Nullable[string]    `json:"entraClient,omitzero" maxLength:"120"`
	Repositories     patch.Value[Repositories] `json:"repositories,omitzero"`
	RegisterWebhooks patch.Value[bool]         `json:"registerWebhooks,omitzero"`
	Enabled          patch.Value[bool]         `json:"enabled,omitzero"`
}

// ProviderConnection is a connection in the interface.
type ProviderConnection struct {
	ID                     string        `json:"id" audit:"ignore"`
	Kind                   string        `json:"kind" enum:"gitlab,bitbucket-cloud,bitbucket-dc,gitea,forgejo,azure-devops" audit:"track"`
	Name                   string        `json:"name" audit:"track"`
	BaseURL                string        `json:"baseUrl" audit:"track"`
	Owner                  string        `json:"owner" audit:"track"`
	TokenSet               bool          `json:"tokenSet" audit:"ignore"`
	TokenUpdatedAt         *time.Time    `json:"tokenUpdatedAt,omitempty" audit:"secret"`
	TokenExpiresAt         *time.Time    `json:"tokenExpiresAt,omitempty" audit:"ignore" doc:"End of the token, from the host's last answer; absent if the host reports no end"`
	Username               string        `json:"username,omitempty" audit:"track"`
	EntraTenant            string        `json:"entraTenant,omitempty" audit:"track" doc:"Directory of the service principal"`
	EntraClient            string        `json:"entraClient,omitempty" audit:"track" doc:"Application id of the service principal"`
	Repositories           Repositories  `json:"repositories" audit:"track"`
	RegisterWebhooks       bool          `json:"registerWebhooks" audit:"track"`
	Enabled                bool          `json:"enabled" audit:"track"`
	State                  string        `json:"state" enum:"pending,active,error,disabled" audit:"ignore" doc:"As the host said when it was asked last; pending: it was not asked since the connection was changed"`
	Message                string        `json:"message,omitempty" audit:"ignore" doc:"Why the state is error; permissions that the account of the token lacks; requests that the host refused within the last week; each with who can grant the permission"`
	LastSync               *ProviderSync `json:"lastSync,omitempty" audit:"ignore" doc:"What came of the newest question to the host for what it reaches; absent where it was not asked for two weeks"`
	WebhookURL             string        `json:"webhookUrl" audit:"ignore" doc:"To enter at the host"`
	WebhookSecretSet       bool          `json:"webhookSecretSet" audit:"ignore"`
	WebhookSecretUpdatedAt *time.Time    `json:"webhookSecretUpdatedAt,omitempty" audit:"secret"`
	Version                int64         `json:"version" audit:"ignore" doc:"For If-Match, as \"v7\""`
	CreatedAt              time.Time     `json:"createdAt" audit:"ignore"`
	UpdatedAt              time.Time     `json:"updatedAt" audit:"ignore"`
}

// ProviderSync is a connection's synchronisation as shown to people.
type ProviderSync struct {
	JobID  string         `json:"jobId" doc:"See GET /jobs/{jobId} of the tenant"`
	State  string         `json:"state" enum:"queued,running,completed,failed"`
	At     time.Time      `json:"at" doc:"When it ended, or was asked for where it has not"`
	Counts map[string]int `json:"counts" doc:"Of repositories: those that are connected, added, changed, disconnected, taken by another connection, those with a working webhook and, where there are any, webhooksOff: those whose webhook the host has switched off"`
	Notes  []string       `json:"notes" doc:"Notes for a person to know or act on, one sentence each; at most 50"`
	Error  string         `json:"error,omitempty" doc:"What hindered it"`
}

// addSyncResults adds the results of the last synchronisations and the hosts' refusals to connections.
func (s *Service) addSyncResults(ctx context.Context, t domain.Tenant, all ...*ProviderConnection) error {
	ids := make([]string, len(all))
	for i, r := range all {
		ids[i] = r.ID
	}
	if err := s.addRefusals(ctx, t, all...); err != nil {
		return err
	}
	jobs, err := s.Store.LastJobs(ctx, t, domain.KindSync, ids)
	for _, r := range all {
		job, there := jobs[r.ID]
		if !there {
			continue
		}
		v := ProviderSync{JobID: job.ID, At: store.Time(cmp.Or(job.FinishedUS, job.CreatedUS)), Counts: map[string]int{}, Notes: []string{}}
		v.State, v.Error = job.PublicState()
		if job.Report.Outcome != "" {
			o := store.FromJSON[domain.JobOutcome](job.Report.Outcome)
			v.Counts, v.Notes = o.Counts, o.Notes
		}
		r.LastSync = &v
	}
	return err
}

// provider describes a kind of host.
type provider struct {
	kind  domain.ConnectionKind
	base  string // "" if there is no public address
	fixed bool   // only the public address exists, beside simulated hosts on this machine
	parts int    // maximum parts of an owner, with "/" between them
	owner string // description of an owner there
	whole bool   // a connection may cover a whole instance, but not the public one
}

// providers returns the kinds of hosts with their public addresses and the form of owners. GitLab groups
// nest to 20 levels (docs.gitlab.com/user/group/subgroups). Bitbucket Cloud has one address (Atlassian
// OpenAPI description, servers). Azure DevOps puts the project below the organisation (REST description
// 7.1).
func providers() []provider {
	return []provider{
		{domain.GitLab, "https://gitlab.com", false, 20, "the path of a group or user, such as acme/payments, or * for all " +
			"projects with the account as a member, on a self-hosted instance", true},
		{domain.BitbucketCloud, "https://bitbucket.org", true, 1, "the short name of a workspace", false},
		{domain.BitbucketDataCenter, "", false, 1, "the key of a project, ~ and the login of a person, or * for all " +
			"repositories that the token reads", true},
		{domain.Gitea, "", false, 1, "the name of a user or an organisation", false},
		{domain.Forgejo, "", false, 1, "the name of a user or an organisation", false},
		{domain.AzureDevOps, "https://dev.azure.com", false, 2, "an organisation, or organisation/project", false},
	}
}

// providerOf describes a kind of host. It is the zero value for GitHub, which has no connections.
func providerOf(kind string) provider {
	all := providers()
	if i := slices.IndexFunc(all, func(p provider) bool { return string(p.kind) == kind }); i >= 0 {
		return all[i]
	}
	return provider{}
}

// checkProvider checks rules that the schema cannot express, and normalises the base URL.
func (s *Service) checkProvider(r *ProviderConnection, token string) field.Check {
	var c field.Check
	p := providerOf(r.Kind)
	if r.BaseURL == "" {
		r.BaseURL = p.base
	}
	c.Name("/name", r.Name)
	if r.BaseURL == "" {
		c.That(false, "/baseUrl", "is needed: this host has no public address")
	} else {
		r.BaseURL = s.normalizeBase(&c, "/baseUrl", r.BaseURL)
		c.That(!p.fixed || r.BaseURL == p.base || onThisMachine(r.BaseURL), "/baseUrl", "must be absent or "+p.base+": this host has one address")
	}
	c.That(path(r.Owner, p.parts) && (r.Owner != codehost.WholeInstance || p.whole && !atHost(r.BaseURL, p.base)), "/owner",
		"must be "+p.owner)
	c.Line("/username", r.Username)
	c.That(!strings.Contains(r.Username, ":"), "/username", "must have no colon")
	isAzure := r.Kind == string(domain.AzureDevOps)
	c.That(isAzure || r.EntraTenant == "" && r.EntraClient == "", "/entraTenant", "must be absent: only Azure DevOps has service principals")
	c.That(!isAzure || r.Username == "", "/username", "must be absent: Azure DevOps takes any name with a token")
	c.That(r.EntraTenant == "" || entraForm.MatchString(r.EntraTenant), "/entraTenant", "must be the id or the domain of a directory")
	c.That((r.EntraTenant == "") == (r.EntraClient == ""), "/entraClient", "must be set together with entraTenant")
	c.That(r.EntraClient == "" || entraForm.MatchString(r.EntraClient), "/entraClient", "must be the id of an application")
	c.That(field.Plain(token) && !strings.ContainsAny(token, " \t"), "/token", "must be a token without spaces")
	for i, name := range r.Repositories.Names {
		c.That(path(name, 22), field.At("/repositories", i), "must be the name of a repository below the owner")
	}
	c.Distinct("/repositories", r.Repositories.Names)
	return c
}

// entraForm matches ids and domains of Microsoft Entra.
var entraForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.-]{0,119}$`)

// EntraOf returns the directory and the application in a stored user name, which has both for a service principal, as
// "directory/application".
func EntraOf(username string) (tenant, client string) {
	tenant, client, found := strings.Cut(username, "/")
	if !found {
		return "", ""
	}
	return tenant, client
}

// onThisMachine reports whether an address is a loopback address. The operator's rules for requests decide whether assay may reach it.
func onThisMachine(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	at, err := netip.ParseAddr(u.Hostname())
	return err == nil && at.Unmap().IsLoopback()
}

// path reports whether a name has one to most parts that are valid in an address.
func path(name string, maxParts int) bool {
	parts := strings.Split(name, "/")
	for _, p := range parts {
		if p == "" || p == "." || p == ".." || strings.TrimSpace(p) != p || !field.Plain(p) || strings.ContainsAny(p, `?#%\<>"`) {
			return false
		}
	}
	return len(parts) <= maxParts
}

func (r ProviderConnection) target() audit.Target {
	return audit.Target{Kind: "provider-connection", ID: r.ID, Name: r.Name}
}

func (s *Service) providerOfRow(row store.ProviderConnection) ProviderConnection {
	r := s.rowAsProvider(row)
	if row.Kind == string(domain.AzureDevOps) {
		r.EntraTenant, r.EntraClient = EntraOf(row.Username)
		r.Username = ""
	}
	return r
}

func (s *Service) rowAsProvider(row store.ProviderConnection) ProviderConnection {
	return ProviderConnection{ID: row.ID, Kind: row.Kind, Name: row.Name, BaseURL: row.BaseURL, Owner: row.Owner,
		TokenSet: row.Token != nil, TokenUpdatedAt: store.TimeOrNil(row.TokenUS), TokenExpiresAt: store.TimeOrNil(row.TokenEndsUS),
		Username: row.Username, Repositories: Repositories{row.AllRepositories, store.FromJSON[[]string](row.Repositories)},
		RegisterWebhooks: row.RegisterWebhooks, Enabled: row.Enabled,
		State: stateOf(row.Enabled, row.State), Message: row.Message, WebhookURL: s.webhookURL(domain.ConnectionKind(row.Kind), row.ID),
		WebhookSecretSet: row.SecretUS != 0, WebhookSecretUpdatedAt: store.TimeOrNil(row.SecretUS), Version: row.Version,
		CreatedAt: store.Time(row.CreatedUS), UpdatedAt: store.Time(row.UpdatedUS)}
}

// into writes the fields that people change into a row.
func (r ProviderConnection) into(row store.ProviderConnection) store.ProviderConnection {
	row.Kind, row.Name, row.BaseURL, row.Owner, row.Username = r.Kind, r.Name, r.BaseURL, r.Owner, r.Username
	if r.EntraTenant != "" {
		row.Username = r.EntraTenant + "/" + r.EntraClient
	}
	row.AllRepositories, row.Repositories = r.Repositories.All, store.JSON(list(r.Repositories.Names))
	row.RegisterWebhooks, row.Enabled = r.RegisterWebhooks, r.Enabled
	return row
}

// atHost reports whether two web addresses belong to one host, regardless of scheme, port and path.
func atHost(a, b string) bool {
	name := func(raw string) string {
		u, err := url.Parse(raw)
		if err != nil {
			return raw
		}
		return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	}
	return name(a) == name(b)
}
