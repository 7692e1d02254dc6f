package github

import (
	"cmp"
	"crypto/rsa"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	gh "github.com/google/go-github/v92/github"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
)

// defaultAPIURL is the API of github.com.
const defaultAPIURL = "https://api.github.com/"

// Config configures a [Host].
type Config struct {
	AppID         domain.HostID
	PrivateKeyPEM interface{ Reveal() string } // RSA, PKCS #1 or PKCS #8, in any wrapping of [secret.ParseRSAKey]
	APIURL        string                       // "" means defaultAPIURL; Enterprise Server: https://host/api/v3/
	WebURL        string                       // "" derives it from APIURL
	HTTP          *http.Client                 // guarded; never the default client
	Gate          codehost.Gate
	Timeout       time.Duration     // of one request after the gate; 0 means 20 s
	Now           func() time.Time  // nil means time.Now
	Logger        *slog.Logger      // nil means no log
	Observer      codehost.Observer // receives every request; may be nil
}

// Host is one GitHub App on one GitHub server. It implements [codehost.Host]
// and is safe for concurrent use.
type Host struct {
	appID int64
	key   *rsa.PrivateKey
	api   *url.URL
	web   string
	gate  codehost.Gate

	transport      *wire.Transport // transport of the client, for requests without redirects
	requestTimeout time.Duration   // most time of one request
	client         *gh.Client
	now            func() time.Time
	log            *slog.Logger
	observer       codehost.Observer // may be nil

	tokens   tokenCache
	identity identity
}

var _ codehost.Host = (*Host)(nil)

// New checks the configuration and returns a Host. It sends nothing.
func New(cfg Config) (*Host, error) {
	appID, ok := cfg.AppID.Number()
	if !ok || appID <= 0 {
		return nil, errors.New("github: AppID must be the positive number of the GitHub App")
	}
	switch {
	case cfg.PrivateKeyPEM == nil:
		return nil, errors.New("github: PrivateKeyPEM is missing")
	case cfg.HTTP == nil:
		return nil, errors.New("github: HTTP client is missing")
	case cfg.Gate == nil:
		return nil, errors.New("github: Gate is missing")
	}
	key, err := parseKey(cfg.PrivateKeyPEM)
	if err != nil {
		return nil, err
	}
	api, err := baseURL(cfg.APIURL)
	if err != nil {
		return nil, err
	}
	web := strings.TrimRight(cfg.WebURL, "/")
	if web == "" {
		web = webOf(api)
	}
	h := &Host{appID: appID, key: key, api: api, web: web, gate: cfg.Gate, requestTimeout: cmp.Or(cfg.Timeout, wire.RequestTimeout),
		now: cfg.Now, log: cfg.Logger, observer: cfg.Observer,
		tokens: tokenCache{entries: map[tokenKey]*tokenEntry{}}, identity: identity{lock: newLock()}}
	if h.now == nil {
		h.now = time.Now
	}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	h.transport = &wire.Transport{Kind: "github", Client: wire.Sender(cfg.HTTP), Gate: h.gate, Timeout: h.requestTimeout,
		MaxBytes: wire.MaxRaw, Judge: rules.Judge, Now: h.now, Log: h.log, Watch: h.observer}
	base := api.String()
	h.client, err = gh.NewClient(
		gh.WithHTTPClient(&http.Client{}),
		gh.WithTransport(h.transport),
		gh.WithURLs(&base, &base),
		gh.WithUserAgent(wire.UserAgent),
		gh.WithDisableRateLimitCheck(),
	)
	if err != nil {
		return nil, fmt.Errorf("github: %w", err)
	}
	return h, nil
}

func parseKey(text interface{ Reveal() string }) (*rsa.PrivateKey, error) {
	key, err := secret.ParseRSAKey(secret.New(text.Reveal()))
	if err != nil {
		return nil, fmt.Errorf("github: PrivateKeyPEM %w", err)
	}
	return key, nil
}

// baseURL parses the API's address and gives it one trailing slash, which relative paths need.
func baseURL(raw string) (*url.URL, error) {
	if raw == "" {
		raw = defaultAPIURL
	}
	u, err := wire.WebURL(raw)
	if err != nil {
		return nil, fmt.Errorf("github: APIURL %w, such as https://github.example.com/api/v3/", err)
	}
	u.Path = strings.TrimRight(u.Path, "/") + "/"
	return u, nil
}

// webOf returns the web address for an API address: api.github.com and api.<name>.ghe.com drop "api.",
// Enterprise Server drops the path.
func webOf(api *url.URL) string {
	host := api.Host
	if api.Path == "/" {
		host = strings.TrimPrefix(host, "api.")
	}
	return api.Scheme + "://" + host
}

// installationKey returns the budget key of an installation.
func (h *Host) installationKey(id domain.HostID) string {
	return fmt.Sprintf("github|%s|%s", strings.ToLower(h.api.Host), id)
}

// anonymousKey returns the budget key of anonymous calls.
func (h *Host) anonymousKey() string {
	return fmt.Sprintf("github|%s|anonymous", strings.ToLower(h.api.Host))
}

// appKey returns the budget key of calls that the App makes as itself.
func (h *Host) appKey() string {
	return fmt.Sprintf("github|%s|app:%d", strings.ToLower(h.api.Host), h.appID)
}
