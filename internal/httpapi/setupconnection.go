package httpapi

import (
	"context"
	"maps"
	"net/url"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/instance"
	"github.com/assay-dev/assay/internal/tracking"
)

// SetupConnection connects, in the first run, a code host without apps.
type SetupConnection struct {
	SetupToken       string                `json:"setupToken,omitempty" writeOnly:"true" maxLength:"200" doc:"For programs without the setup cookie. It stays valid"`
	Kind             string                `json:"kind" enum:"gitlab,bitbucket-cloud,bitbucket-dc,gitea,forgejo,azure-devops" example:"gitea"`
	BaseURL          string                `json:"baseUrl,omitempty" maxLength:"500" doc:"Address of the host" example:"https://gitea.example.com"`
	Owner            string                `json:"owner" minLength:"1" maxLength:"255" doc:"User, organisation or workspace whose repositories are reviewed" example:"acme"`
	Username         string                `json:"username,omitempty" maxLength:"255" doc:"Bitbucket Cloud: the email address of an API token's account, or the key of an OAuth consumer, whose secret is the token"`
	Token            string                `json:"token" minLength:"8" maxLength:"4096" writeOnly:"true" doc:"Access token of the account that reviews" example:"example-token"`
	Repositories     tracking.Repositories `json:"repositories"`
	RegisterWebhooks bool                  `json:"registerWebhooks,omitempty" doc:"Register the webhook at the host, where the token allows it"`
}

func (s *server) setupConnect(ctx context.Context, in *struct {
	SetupCookie
	Body SetupConnection
}) (*Read[instance.Progress], error) {
	if err := s.setupProgram(ctx, in.Body.SetupToken, in.value()); err != nil {
		return nil, err
	}
	if err := s.connectFirst(ctx, in.Body); err != nil {
		return nil, err
	}
	return read(s.Instance.Progress(ctx))
}

// connectFirst creates or changes the connection of the first run.
func (s *server) connectFirst(ctx context.Context, in SetupConnection) error {
	return s.Instance.ConnectFirst(ctx, func(ctx context.Context, t domain.Tenant, id string, note func(context.Context, string) error) error {
		_, err := s.Tracking.PutProvider(ctx, t, id, tracking.ProviderConnectionCreate{Kind: in.Kind, BaseURL: in.BaseURL,
			Owner: in.Owner, Username: in.Username, Token: in.Token, Repositories: in.Repositories,
			RegisterWebhooks: in.RegisterWebhooks}, func(ctx context.Context, r tracking.ProviderConnection) error { return note(ctx, r.ID) })
		return err
	})
}

// hostChoice is a code host in the selection of the first run's page.
type hostChoice struct {
	Kind, Name string
	Chosen     bool
}

const gitHubKind = "github"

// hostChoices returns the code hosts. The chosen one is the requested or refused kind, else the connected
// one, else GitHub.
func hostChoices(p instance.Progress, asked string) []hostChoice {
	all := []hostChoice{{Kind: gitHubKind, Name: "GitHub"}}
	for _, o := range tracking.Offered() {
		all = append(all, hostChoice{Kind: string(o.Kind), Name: o.Name})
	}
	if asked == "" && p.Connection != nil {
		asked = p.Connection.Kind
	}
	chosen := 0
	for i := range all {
		if all[i].Kind == asked {
			chosen = i
		}
	}
	all[chosen].Chosen = true
	return all
}

// connectionInputs returns the fields of the form for a connection.
func connectionInputs(p instance.Progress) []setupInput {
	var was instance.FirstConnection
	if p.Connection != nil {
		was = *p.Connection
	}
	return []setupInput{
		{Name: "baseUrl", Label: "Address of the host", Hint: "Such as https://git.example.com, or with the owner: " +
			"https://git.example.com/acme. A private one must be named in " +
			"ASSAY_OUTBOUND_AIR_GAP_ALLOWED_HOSTS; plain http also needs ASSAY_OUTBOUND_AIR_GAP_ALLOW_HTTP=true.", Type: "url",
			Autocomplete: "off", Value: was.BaseURL,
			Max: longest[SetupConnection]("baseUrl")},
		{Name: "owner", Label: "Owner of the repositories", Hint: "The name of an organisation or a user there. Empty: the one in the " +
			"address.", Type: "text", Autocomplete: "off", Implied: true, Value: was.Owner, Max: longest[SetupConnection]("owner")},
		{Name: "username", Label: "Account of the token", Hint: "Bitbucket Cloud alone: the email address of an API token's account, or " +
			"the key of an OAuth consumer. Empty for an access token.", Type: "text", Autocomplete: "off", Optional: true, Value: was.Username,
			Max: longest[SetupConnection]("username")},
		{Name: "token", Label: "Access token", Hint: "Token of an account that only assay uses, because reviews carry the account's " +
			"name. The documentation of the host's connection names its scopes.", Type: "password", Autocomplete: "off",
			Secret: true,
			Max:    longest[SetupConnection]("token")},
		{Name: "repositories", Label: "Repositories", Hint: "Their names, with spaces or commas between them. Empty: every one that " +
			"the account reaches, those that come later, too.", Type: "text", Autocomplete: "off", Optional: true,
			Value: strings.Join(was.Repositories, " "), Max: 20_000},
	}
}

// withOwner takes the owner out of the address if the form names none: from https://git.example.com/acme, the address of the owner's
// page. A group of GitLab has every part of the path up to "/-/", an owner on dev.azure.com is organisation and project, and one at other
// hosts is a path of one part. It returns the same values for other addresses.
func withOwner(values url.Values) url.Values {
	at, err := url.Parse(strings.TrimSpace(values.Get("baseUrl")))
	if err != nil || at.Host == "" || at.RawQuery != "" || strings.TrimSpace(values.Get("owner")) != "" {
		return values
	}
	path := strings.Trim(at.Path, "/")
	parts := 1
	switch domain.ConnectionKind(values.Get("kind")) {
	case domain.GitLab:
		parts = 20
		path, _, _ = strings.Cut(strings.TrimPrefix(path, "groups/"), "/-/")
	case domain.AzureDevOps:
		if path, _, _ = strings.Cut(path, "/_"); strings.EqualFold(at.Hostname(), "dev.azure.com") {
			parts = 2
		}
	}
	if path == "" || strings.Count(path, "/") >= parts {
		return values
	}
	owner := path
	at.Path, at.RawPath, at.Fragment, at.ForceQuery = "", "", "", false
	out := maps.Clone(values)
	out.Set("baseUrl", at.String())
	out.Set("owner", owner)
	return out
}

// enteredConnection decodes the form for a connection.
func enteredConnection(values url.Values) SetupConnection {
	value := func(name string) string { return strings.TrimSpace(values.Get(name)) }
	names := strings.FieldsFunc(value("repositories"), func(r rune) bool {
		return r == ',' || r == ' ' || r == '\t' || r == '\n' ||
			r == '\r'
	})
	return SetupConnection{Kind: value("kind"), BaseURL: value("baseUrl"), Owner: value("owner"), Username: value("username"),
		Token:            value("token"),
		Repositories:     tracking.Repositories{All: len(names) == 0, Names: names},
		RegisterWebhooks: value("registerWebhooks") == "1"}
}
