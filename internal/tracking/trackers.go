package tracking

import (
	"net/url"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/patch"
	"github.com/assay-dev/assay/internal/store"
)

// MaxTrackers is the maximum number of tracker connections of a tenant (design choice).
const MaxTrackers = 20

// TrackerAuth is the sign-in to a tracker: a token, or OAuth with the connection's own app.
type TrackerAuth struct {
	Kind         string `json:"kind" enum:"token,oauth"`
	Email        string `json:"email,omitempty" maxLength:"255" doc:"Account of an API token of Jira Cloud"`
	Token        string `json:"token,omitempty" maxLength:"4096" writeOnly:"true" doc:"For token: an API token, a personal API key or a personal access token"`
	ClientID     string `json:"clientId,omitempty" maxLength:"255" doc:"For oauth: the app's client id"`
	ClientSecret string `json:"clientSecret,omitempty" maxLength:"1000" writeOnly:"true" doc:"For oauth: the app's client secret"`
}

// TransformSchema implements [huma.SchemaTransformer] with a complete example, because examples of single
// fields cannot form one.
func (TrackerAuth) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Examples = []any{map[string]any{"kind": "token", "email": "mona@example.com", "token": "example-token"}}
	return s
}

// TrackerAuthInfo is a [TrackerAuth] without its secrets.
type TrackerAuthInfo struct {
	Kind     string `json:"kind" enum:"token,oauth"`
	Email    string `json:"email,omitempty"`
	ClientID string `json:"clientId,omitempty"`
}

// TrackerCriteria is the place of acceptance criteria in an issue: a field, or the text below a heading of
// the description.
type TrackerCriteria struct {
	Field   string `json:"field,omitempty" maxLength:"100" doc:"Id of the field, such as customfield_10042"`
	Heading string `json:"heading,omitempty" maxLength:"100" doc:"Heading in the description"`
}

// TransformSchema implements [huma.SchemaTransformer] with an example that has one of the two fields.
func (TrackerCriteria) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Examples = []any{map[string]any{"heading": "Acceptance criteria"}}
	return s
}

// TrackerMapping defines how issues are read and what is written back.
type TrackerMapping struct {
	AcceptanceCriteria *TrackerCriteria `json:"acceptanceCriteria,omitempty" doc:"Absent: acceptance criteria are not read"`
	DoneStates         []string         `json:"doneStates" maxItems:"50" doc:"States that count as done" example:"[\"Done\"]"`
	LinkBack           string           `json:"linkBack" enum:"none,comment,link" doc:"What an issue gets when a pull request refers to it"`
	AllowOnPublic      bool             `json:"allowOnPublic,omitempty" doc:"Also reads issues, sends them to models and shows them for public repositories and for forks of people who are not members. Absent: only the keys, there"`
}

// TrackerConnectionCreate is a new connection to an issue tracker.
type TrackerConnectionCreate struct {
	Kind     string         `json:"kind" enum:"jira,linear,azure-boards" example:"jira"`
	Name     string         `json:"name" minLength:"1" maxLength:"100" example:"Jira"`
	BaseURL  string         `json:"baseUrl,omitempty" maxLength:"500" doc:"Address of the site (Jira), or of the organisation (Azure Boards, https://dev.azure.com/acme); linear needs none" example:"https://acme.atlassian.net"`
	Auth     TrackerAuth    `json:"auth"`
	Projects []string       `json:"projects" maxItems:"100" doc:"Keys of projects or teams; none: every one that the account sees" example:"[\"PAY\"]"`
	Mapping  TrackerMapping `json:"mapping"`
	Enabled  *bool          `json:"enabled,omitempty" doc:"True where absent"`
}

// TrackerConnectionUpdate changes a connection. Absent fields stay; auth and mapping are replaced as a
// whole. A change of kind or baseUrl requires auth with its secrets again, and ends the webhook secret.
type TrackerConnectionUpdate struct {
	Kind          patch.Value[string]         `json:"kind,omitzero" enum:"jira,linear,azure-boards" doc:"Needs auth again" example:"jira"`
	Name          patch.Value[string]         `json:"name,omitzero" minLength:"1" maxLength:"100" example:"Issues"`
	BaseURL       patch.Value[string]         `json:"baseUrl,omitzero" minLength:"1" maxLength:"500" doc:"Needs auth again"`
	Auth          patch.Value[TrackerAuth]    `json:"auth,omitzero" doc:"Replaces all of it"`
	Projects      patch.Value[[]string]       `json:"projects,omitzero" maxItems:"100"`
	Mapping       patch.Value[TrackerMapping] `json:"mapping,omitzero" doc:"Replaces all of it"`
	Enabled       patch.Value[bool]           `json:"enabled,omitzero"`
	WebhookSecret patch.Value[string]         `json:"webhookSecret,omitzero" minLength:"16" maxLength:"255" writeOnly:"true" doc:"A signing secret that the tracker made, as Linear does; the one before stays valid for a day"`
}

// TrackerConnection is a connection in the interface.
type TrackerConnection struct {
	ID                     string          `json:"id" audit:"ignore"`
	Kind                   string          `json:"kind" enum:"jira,linear,azure-boards" audit:"track"`
	Name                   string          `json:"name" audit:"track"`
	BaseURL                string          `json:"baseUrl" audit:"track"`
	Auth                   TrackerAuthInfo `json:"auth" audit:"track"`
	TokenSet               bool            `json:"tokenSet" audit:"ignore"`
	TokenUpdatedAt         *time.Time      `json:"tokenUpdatedAt,omitempty" audit:"secret"`
	ClientSecretSet        bool            `json:"clientSecretSet" audit:"ignore"`
	ClientSecretUpdatedAt  *time.Time      `json:"clientSecretUpdatedAt,omitempty" audit:"secret"`
	Projects               []string        `json:"projects" audit:"track"`
	Mapping                TrackerMapping  `json:"mapping" audit:"track"`
	Enabled                bool            `json:"enabled" audit:"track"`
	State                  string          `json:"state" enum:"pending,active,error,disabled" audit:"ignore" doc:"pending: not tried since it was changed"`
	Message                string          `json:"message,omitempty" audit:"ignore" doc:"Why the state is error"`
	WebhookURL             string          `json:"webhookUrl" audit:"ignore" doc:"To enter at the tracker"`
	WebhookSecretSet       bool            `json:"webhookSecretSet" audit:"ignore"`
	WebhookSecretUpdatedAt *time.Time      `json:"webhookSecretUpdatedAt,omitempty" audit:"secret"`
	Version                int64           `json:"version" audit:"ignore" doc:"For If-Match, as \"v7\""`
	CreatedAt              time.Time       `json:"createdAt" audit:"ignore"`
	UpdatedAt              time.Time       `json:"updatedAt" audit:"ignore"`
}

// authOAuth is the sign-in by OAuth with the connection's own app.
const authOAuth = "oauth"

// linearURL is Linear's only address (Linear developer documentation, OAuth 2.0).
const linearURL = "https://linear.app"

// checkTracker checks rules that the schema cannot express, and normalises the base URL. auth is the
// sign-in of the request, nil if absent.
func (s *Service) checkTracker(r *TrackerConnection, auth *TrackerAuth) field.Check {
	var c field.Check
	c.Name("/name", r.Name)
	kind := domain.ConnectionKind(r.Kind)
	if kind == domain.Linear && r.BaseURL == "" {
		r.BaseURL = linearURL
	}
	if r.BaseURL == "" {
		c.That(false, "/baseUrl", "is needed: the address of the site or organisation")
	} else {
		r.BaseURL = s.normalizeBase(&c, "/baseUrl", r.BaseURL)
		c.That(kind != domain.Linear || r.BaseURL == linearURL, "/baseUrl", "must be absent or "+linearURL+": this tracker has one address")
		u, err := url.Parse(r.BaseURL)
		c.That(kind != domain.AzureBoards || err == nil && len(u.Path) > 1, "/baseUrl",
			"must name the organisation or collection, as in https://dev.azure.com/acme")
	}
	if auth != nil {
		auth.check(&c, kind, r.BaseURL)
	}
	c.Lines("/projects", r.Projects)
	c.Distinct("/projects", r.Projects)
	for i, p := range r.Projects {
		c.That(len(p) <= 100, field.At("/projects", i), "must have at most 100 characters")
	}
	if a := r.Mapping.AcceptanceCriteria; a != nil {
		c.That((a.Field == "") != (a.Heading == ""), "/mapping/acceptanceCriteria", "must have either field or heading")
		c.Line("/mapping/acceptanceCriteria/field", a.Field)
		c.Line("/mapping/acceptanceCriteria/heading", a.Heading)
	}
	c.Lines("/mapping/doneStates", r.Mapping.DoneStates)
	c.Distinct("/mapping/doneStates", r.Mapping.DoneStates)
	for i, d := range r.Mapping.DoneStates {
		c.That(len(d) <= 100, field.At("/mapping/doneStates", i), "must have at most 100 characters")
	}
	return c
}

func (a TrackerAuth) check(c *field.Check, kind domain.ConnectionKind, base string) {
	for _, f := range [][2]string{{"/auth/email", a.Email}, {"/auth/token", a.Token}, {"/auth/clientId", a.ClientID},
		{"/auth/clientSecret", a.ClientSecret}} {
		c.That(field.Plain(f[1]) && !strings.ContainsAny(f[1], " \t"), f[0], "must have no spaces and no control characters")
	}
	if a.Kind == authOAuth {
		c.That(kind == domain.Linear, "/auth/kind", "must be token: only Linear is signed in to by OAuth")
		c.That(a.ClientID != "", "/auth/clientId", "is needed for oauth")
		c.That(a.ClientSecret != "", "/auth/clientSecret", "is needed for oauth")
		c.That(a.Token == "", "/auth/token", "must be absent for oauth")
		c.That(a.Email == "", "/auth/email", "must be absent for oauth")
		return
	}
	c.That(a.Token != "", "/auth/token", "is needed for a sign-in with a token")
	c.That(a.ClientID == "", "/auth/clientId", "must be absent for a sign-in with a token")
	c.That(a.ClientSecret == "", "/auth/clientSecret", "must be absent for a sign-in with a token")
	u, err := url.Parse(base)
	cloud := err == nil && strings.HasSuffix(u.Hostname(), ".atlassian.net")
	c.That(kind != domain.Jira || !cloud || strings.Contains(a.Email, "@"), "/auth/email",
		"must be the account's email address: tokens of Jira Cloud go with it")
	c.That(kind == domain.Jira || a.Email == "", "/auth/email", "must be absent: only Jira's tokens go with an email address")
	c.That(!strings.Contains(a.Email, ":"), "/auth/email", "must have no colon")
}

func (r TrackerConnection) target() audit.Target {
	return audit.Target{Kind: "tracker-connection", ID: r.ID, Name: r.Name}
}

func (s *Service) trackerOfRow(row store.TrackerConnection) TrackerConnection {
	m := store.FromJSON[TrackerMapping](row.Mapping)
	m.DoneStates = list(m.DoneStates)
	return TrackerConnection{ID: row.ID, Kind: row.Kind, Name: row.Name, BaseURL: row.BaseURL,
		Auth:     TrackerAuthInfo{row.AuthKind, row.Email, row.ClientID},
		TokenSet: row.Token != nil, TokenUpdatedAt: store.TimeOrNil(row.TokenUS), ClientSecretSet: row.ClientSecret != nil,
		ClientSecretUpdatedAt: store.TimeOrNil(row.ClientSecretUS),
		Projects:              list(store.FromJSON[[]string](row.Projects)), Mapping: m, Enabled: row.Enabled,
		State: stateOf(row.Enabled, row.State), Message: row.Message,
		WebhookURL: s.webhookURL(domain.ConnectionKind(row.Kind), row.ID), WebhookSecretSet: row.SecretUS != 0,
		WebhookSecretUpdatedAt: store.TimeOrNil(row.SecretUS),
		Version:                row.Version, CreatedAt: store.Time(row.CreatedUS), UpdatedAt: store.Time(row.UpdatedUS)}
}

// into writes the fields that people change into a row.
func (r TrackerConnection) into(row store.TrackerConnection) store.TrackerConnection {
	row.Kind, row.Name, row.BaseURL, row.Enabled = r.Kind, r.Name, r.BaseURL, r.Enabled
	row.AuthKind, row.Email, row.ClientID = r.Auth.Kind, r.Auth.Email, r.Auth.ClientID
	row.Projects, row.Mapping = store.JSON(list(r.Projects)), store.JSON(r.Mapping)
	return row
}
