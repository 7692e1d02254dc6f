// Package oidc is the relying party of OpenID Connect: it sends a browser to an identity provider, turns
// the answer into a verified person, and tests a provider's configuration.
//
// It only knows the protocol. It does not map people to users, evaluate roles, store state or serve pages.
package oidc

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
)

// The bounds of an identity provider's answers and times.
const (
	// Leeway is the maximum difference between the clocks of provider and service, in either direction
	// (design choice; OpenID Connect Core 1.0, section 3.1.3.7 allows "some small leeway, usually no more
	// than a few minutes").
	Leeway = 2 * time.Minute
	// maxAnswer bounds each answer of a provider, in bytes (design choice: a token with a few thousand
	// groups has about 200 KiB).
	maxAnswer = 1 << 20
	// maxToken bounds an ID token, in bytes (design choice).
	maxToken = 512 << 10
	// timeout bounds each exchange with a provider (design choice; a sign-in makes four of them, and a
	// person waits).
	timeout = 8 * time.Second
	// metadataLife is how long discovery is cached (design choice).
	metadataLife = 10 * time.Minute
	// failureLife is how long a failed discovery is not repeated (design choice: one request in that time,
	// and a provider that is back is noticed soon).
	failureLife = 15 * time.Second
	// maxKnown bounds the caches of discovery, in issuers.
	maxKnown = 200
	// maxSubject is the maximum length of a subject (OpenID Connect Core 1.0, section 2).
	maxSubject = 255
)

// Provider is the configuration of an identity provider.
type Provider struct {
	Issuer       string // exactly as in the provider's discovery
	ClientID     string
	ClientSecret secret.Secret
	Scopes       []string // openid is added if missing
}

// Config holds the parts of a party.
type Config struct {
	Factory *outbound.Factory // sends every request
	Now     func() time.Time  // nil: time.Now
	Timeout time.Duration     // of each exchange with a provider; 8 s if 0
}

// Party is the relying party. It caches discovery and keys of each issuer, and is safe for concurrent use.
type Party struct {
	client *http.Client
	now    func() time.Time
	asking singleflight.Group // by issuer
	mu     sync.Mutex
	known  map[string]*issuer
	failed *lru.Cache[string, failure] // by issuer
}

// New returns a party.
func New(c Config) *Party {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Timeout == 0 {
		c.Timeout = timeout
	}
	p := &Party{client: c.Factory.Client(outbound.Purpose{Name: "oidc", Timeout: c.Timeout, MaxResponseBytes: maxAnswer}), now: c.Now,
		known: map[string]*issuer{}}
	p.failed, _ = lru.New[string, failure](maxKnown) // fails only for a size below 1
	return p
}

// Flow is the data that one sign-in keeps while the browser is at the provider.
type Flow struct {
	Redirect string // our own callback, exactly as sent
	State    string
	Nonce    string
	Verifier string // of PKCE (RFC 7636)
}

// Begin returns the address for the browser: the provider's authorization endpoint, for a code with PKCE.
// It returns Unavailable if discovery fails or is not usable.
func (p *Party) Begin(ctx context.Context, at Provider, f Flow) (string, error) {
	i, err := p.issuer(ctx, at.Issuer)
	if err != nil {
		return "", unavailableError(err)
	}
	if err := i.meta.usable(); err != nil {
		return "", unavailableError(err)
	}
	return p.oauth(at, i, f).AuthCodeURL(f.State, oauth2.S256ChallengeOption(f.Verifier), oauth2.SetAuthURLParam("nonce", f.Nonce)), nil
}

// Answer is the provider's answer that the browser brings back.
type Answer struct {
	Code   string
	Issuer string // parameter iss; "" if absent (RFC 9207)
}

// Person is a person whom a provider vouches for. Issuer and subject are the identity; the other fields are
// only the provider's present data.
type Person struct {
	Issuer, Subject string
	Name            string         // for display; never an identity
	Claims          map[string]any // of the ID token, and those of userinfo that the token lacks; numbers are json.Number
}

// Finish turns an answer into a person: it exchanges the code, verifies the ID token, and asks userinfo if
// the provider has it. Errors: Forbidden with the code sign_in_refused if a check fails, Unavailable if the
// provider cannot be asked. Messages contain nothing that the provider sent.
func (p *Party) Finish(ctx context.Context, at Provider, f Flow, a Answer) (Person, error) {
	i, err := p.issuer(ctx, at.Issuer)
	if err != nil {
		return Person{}, unavailableError(err)
	}
	if err := i.meta.usable(); err != nil {
		return Person{}, unavailableError(err)
	}
	if a.Issuer != "" && a.Issuer != at.Issuer || a.Issuer == "" && i.meta.IssParameter {
		return Person{}, refusalError(nil, "The answer names another identity provider than the one that was asked.")
	}
	ctx = context.WithValue(ctx, oauth2.HTTPClient, p.client)
	tokens, err := p.oauth(at, i, f).Exchange(ctx, a.Code, oauth2.VerifierOption(f.Verifier))
	if err != nil {
		return Person{}, exchangeFailure(err)
	}
	raw, _ := tokens.Extra("id_token").(string)
	id, err := p.verify(ctx, at, i, raw, tokens.AccessToken, f.Nonce)
	if err != nil {
		return Person{}, err
	}
	person := Person{Issuer: at.Issuer, Subject: id.subject, Claims: id.claims}
	if i.meta.UserinfoURL != "" {
		more, err := p.userinfo(ctx, at, i, tokens.AccessToken, id.subject)
		if err != nil {
			return Person{}, err
		}
		addClaims(person.Claims, more)
	}
	person.Name = displayName(person.Claims, person.Subject)
	return person, nil
}

func (p *Party) oauth(at Provider, i *issuer, f Flow) *oauth2.Config {
	return &oauth2.Config{ClientID: at.ClientID, ClientSecret: at.ClientSecret.Reveal(), RedirectURL: f.Redirect,
		Scopes:   withOpenID(at.Scopes),
		Endpoint: oauth2.Endpoint{AuthURL: i.meta.AuthURL, TokenURL: i.meta.TokenURL, AuthStyle: i.meta.authStyle()}}
}

func withOpenID(scopes []string) []string {
	if slices.Contains(scopes, "openid") {
		return scopes
	}
	return append([]string{"openid"}, scopes...)
}

// exchangeFailure classifies an error of the token endpoint. It does not pass on the endpoint's text. The
// error codes are those of RFC 6749, section 5.2.
func exchangeFailure(err error) error {
	if r, ok := errorAs[*oauth2.RetrieveError](err); ok {
		switch r.ErrorCode {
		case "invalid_grant":
			return refusalError(nil, "The identity provider no longer accepts this sign-in. Start again.")
		case "invalid_client", "unauthorized_client":
			return refusalError(nil, "The identity provider does not accept this service as a client. An administrator must check client "+
				"id and secret.")
		case "":
		default:
			return refusalError(nil, "The identity provider refused to issue tokens.")
		}
		return unavailableError(problem("the token endpoint answered without tokens"))
	}
	if _, ok := errorAs[*url.Error](err); ok {
		return unavailableError(problem(describe(err)))
	}
	return refusalError(err, "The answer of the identity provider could not be read.")
}

func refusalError(cause error, message string) error {
	return &errs.Error{Kind: errs.Forbidden, Code: "sign_in_refused", Message: message, Cause: cause}
}

func unavailableError(cause error) error {
	return &errs.Error{Kind: errs.Unavailable, Code: "identity_provider_unavailable", Cause: cause,
		Message: "The identity provider cannot be used at the moment. Try again later, or ask an administrator to test it."}
}
