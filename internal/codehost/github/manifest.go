package github

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	gh "github.com/google/go-github/v92/github"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/secret"
)

// Manifest describes an App for GitHub to create (docs.github.com/apps, "Registering a GitHub App from a
// manifest").
type Manifest struct {
	Name          string            `json:"name"`
	URL           string            `json:"url"`
	Hook          ManifestHook      `json:"hook_attributes"`
	RedirectURL   string            `json:"redirect_url"`
	CallbackURLs  []string          `json:"callback_urls"`
	SetupURL      string            `json:"setup_url"`
	SetupOnUpdate bool              `json:"setup_on_update"`
	Description   string            `json:"description"`
	Public        bool              `json:"public"`
	OAuthOnStart  bool              `json:"request_oauth_on_install"`
	Permissions   map[string]string `json:"default_permissions"`
	Events        []string          `json:"default_events"`
}

// ManifestHook is the webhook of a [Manifest].
type ManifestHook struct {
	URL    string `json:"url"`
	Active bool   `json:"active"`
}

// MaxAppName is GitHub's limit of an App's name, in characters (docs.github.com/apps, "Registering a GitHub App").
const MaxAppName = 34

// NewManifest returns the manifest of an App for the service at a public base URL. It cuts the name to
// GitHub's limit. GitHub refuses a taken name.
func NewManifest(name, base string, public bool) Manifest {
	return Manifest{Name: AppName(name), URL: base, Hook: ManifestHook{URL: base + HookPath, Active: true}, RedirectURL: base +
		"/setup/codehost/callback",
		CallbackURLs: []string{base + "/auth/codehost/callback"}, SetupURL: base + "/setup/codehost/installed", SetupOnUpdate: true,
		Description: "Reviews pull requests with language models and deterministic checks.", Public: public, Permissions: Permissions(),
		Events: Events()}
}

// HookPath is the path that receives deliveries of an App.
const HookPath = "/webhooks/codehost"

// AppName cuts a name to GitHub's limit.
func AppName(name string) string {
	if r := []rune(name); len(r) > MaxAppName {
		name = string(r[:MaxAppName])
	}
	return strings.TrimSpace(name)
}

// Addresses returns a host's web address and API address for its base URL. github.com and <name>.ghe.com
// have a separate host for the API, GitHub Enterprise Server a path (GitHub REST description, "Getting
// started").
func Addresses(base string) (web, api string) {
	web = strings.TrimRight(base, "/")
	u, err := url.Parse(web)
	switch {
	case web == "" || err == nil && strings.EqualFold(u.Host, "github.com"):
		return "https://github.com", defaultAPIURL
	case err == nil && strings.HasSuffix(strings.ToLower(u.Host), ".ghe.com"):
		return web, u.Scheme + "://api." + u.Host + "/"
	}
	return web, web + "/api/v3/"
}

// ManifestURL returns the address that a browser posts a manifest to: the person's own settings, or an
// organisation's.
func ManifestURL(web, organization, state string) string {
	path := "/settings/apps/new"
	if organization != "" {
		path = "/organizations/" + url.PathEscape(organization) + path
	}
	return web + path + "?" + url.Values{"state": {state}}.Encode()
}

// InstallURL returns the address to install an App at. page is the App's page as GitHub names it. ""
// derives it from the slug: below /apps on github.com, below /github-apps on GitHub Enterprise Server.
func InstallURL(web, page, slug, state string) string {
	if page == "" {
		part := "/github-apps/"
		if web == "https://github.com" || strings.HasSuffix(web, ".ghe.com") {
			part = "/apps/"
		}
		page = web + part + url.PathEscape(slug)
	}
	out := strings.TrimRight(page, "/") + "/installations/new"
	if state != "" {
		out += "?" + url.Values{"state": {state}}.Encode()
	}
	return out
}

// ManageURL returns the address where the account's owner selects the repositories of an installation, or
// removes it: html_url of the installation (GitHub REST, "Get an installation for the authenticated app").
func ManageURL(web, accountType, account string, installation domain.HostID) string {
	of := "/settings"
	if accountType == "Organization" {
		of = "/organizations/" + url.PathEscape(account) + "/settings"
	}
	return strings.TrimRight(web, "/") + of + "/installations/" + url.PathEscape(string(installation))
}

// Registered is a new App that GitHub created from a manifest.
type Registered struct {
	App
	PrivateKey, WebhookSecret, ClientSecret secret.Secret
}

// manifestCode matches a manifest's code. GitHub does not document its form; its examples are hexadecimal.
var manifestCode = regexp.MustCompile(`^[A-Za-z0-9_-]{1,200}$`)

// maxConversion is the most bytes of a conversion's answer. GitHub's answer has about 6 KB.
const maxConversion = 1 << 20

// Convert exchanges a manifest's code for the App and its secrets. A code works once and within an hour
// (docs.github.com/apps, as above). Errors are [*codehost.Error]: ClassNotFound and ClassInvalid for a
// wrong, expired or used code, ClassAmbiguous for a lost answer.
func Convert(ctx context.Context, client *http.Client, apiURL, code string) (Registered, error) {
	const op = "convert manifest"
	fail := func(class codehost.Class, status int, message string, cause error) (Registered, error) {
		return Registered{}, &codehost.Error{Class: class, Op: op, Status: status, Message: message, Cause: cause}
	}
	api, err := baseURL(apiURL)
	if err != nil {
		return Registered{}, err
	}
	if !manifestCode.MatchString(code) {
		return fail(codehost.ClassInvalid, 0, "the code has not the form of one", nil)
	}
	ctx, cancel := context.WithTimeout(ctx, wire.RequestTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, api.String()+"app-manifests/"+code+"/conversions", bytes.NewReader(nil))
	if err != nil {
		return fail(codehost.ClassInvalid, 0, "", nil)
	}
	req.Header.Set("Accept", "application/vnd.github+json")
	req.Header.Set("User-Agent", wire.UserAgent)
	resp, err := outbound.Do(client, req)
	if err != nil {
		return fail(codehost.ClassUnavailable, 0, "the host does not answer", scrubCode(err, code))
	}
	defer func() { _ = resp.Body.Close() }() // already read
	raw, err := outbound.ReadAnswer(resp, outbound.Bound{Bytes: maxConversion, Memory: outbound.DefaultMemory, Entries: outbound.NoList})
	switch {
	case resp.StatusCode == http.StatusNotFound:
		return fail(codehost.ClassNotFound, resp.StatusCode, "the code is over, or was used", nil)
	case resp.StatusCode >= 400 && resp.StatusCode < 500:
		return fail(codehost.ClassInvalid, resp.StatusCode, "the host refuses the code", nil)
	case resp.StatusCode != http.StatusCreated:
		return fail(codehost.ClassUnavailable, resp.StatusCode, "the host answers with an error", nil)
	case err != nil:
		return fail(codehost.ClassAmbiguous, resp.StatusCode, "the answer was cut off, or is larger than allowed", nil)
	}
	return parseRegistered(raw)
}

func scrubCode(err error, code string) error {
	return errors.New(strings.ReplaceAll(err.Error(), code, "[code]"))
}

// parseRegistered reads the answer of a conversion.
func parseRegistered(raw []byte) (Registered, error) {
	var in struct {
		ID            int64
		Slug, Name    string
		ClientID      string `json:"client_id"`
		ClientSecret  string `json:"client_secret"`
		WebhookSecret string `json:"webhook_secret"` // null if the App has no webhook
		PEM           string
		HTMLURL       string `json:"html_url"`
		Owner         struct {
			ID    int64
			Login string
		}
		Permissions map[string]string
		Events      []string
	}
	bad := &codehost.Error{Class: codehost.ClassUnavailable, Op: "convert manifest", Message: "the answer is not what the API describes"}
	if err := json.Unmarshal(raw, &in); err != nil || in.ID <= 0 || in.PEM == "" || in.ClientID == "" || in.ClientSecret == "" ||
		in.WebhookSecret == "" {
		return Registered{}, bad
	}
	r := Registered{App: App{ID: hostID(in.ID), Slug: in.Slug, Name: in.Name, ClientID: in.ClientID, HTMLURL: in.HTMLURL,
		OwnerLogin: in.Owner.Login, OwnerID: hostID(in.Owner.ID),
		Permissions: in.Permissions, Events: in.Events}, PrivateKey: secret.New(in.PEM), WebhookSecret: secret.New(in.WebhookSecret),
		ClientSecret: secret.New(in.ClientSecret)}
	if CheckPrivateKey(r.PrivateKey) != nil {
		return Registered{}, bad
	}
	return r, nil
}

// CheckPrivateKey reports whether a text is an RSA private key in PEM form.
func CheckPrivateKey(key interface{ Reveal() string }) error {
	_, err := parseKey(key)
	return err
}

// HookConfig is the configuration of the App's webhook on GitHub.
type HookConfig struct {
	URL         string
	JSON        bool // payloads are JSON, not forms
	Signed      bool // a secret is set
	InsecureTLS bool // GitHub does not check our certificate
}

// HookConfig reads the webhook's configuration. It fails with ClassNotFound if the App has no webhook.
func (h *Host) HookConfig(ctx context.Context) (HookConfig, error) {
	var c *gh.HookConfig
	err := h.run(ctx, h.appCall("read webhook configuration"), func(ctx context.Context) (err error) {
		c, _, err = h.client.Apps.GetHookConfig(ctx)
		return err
	})
	if err != nil {
		return HookConfig{}, err
	}
	return HookConfig{URL: c.GetURL(), JSON: c.GetContentType() == "json", Signed: c.GetSecret() != "",
		InsecureTLS: c.GetInsecureSSL() == "1"}, nil
}
