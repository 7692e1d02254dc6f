package oidc

import (
	"bytes"
	"context"
	"encoding/json"
	"mime"
	"net/http"
	"strings"
	"time"

	gooidc "github.com/coreos/go-oidc/v3/oidc"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/secret"
)

// verified is an ID token that passed every check.
type verified struct {
	subject string
	claims  map[string]any
}

// verify checks an ID token as OpenID Connect Core 1.0, section 3.1.3.7 requires.
func (p *Party) verify(ctx context.Context, at Provider, i *issuer, raw, access, nonce string) (verified, error) {
	if raw == "" || len(raw) > maxToken {
		return verified{}, refusalError(nil, "The identity provider sent no ID token, or one that is too large.")
	}
	token, err := p.check(ctx, at, i, i.meta.algorithms(), raw)
	if errs.Is(err, errs.Unavailable) {
		return verified{}, err
	}
	if err != nil {
		return verified{}, invalidTokenError("its signature, issuer or audience is not right")
	}
	claims, err := claimsOf(token)
	if err != nil {
		return verified{}, invalidTokenError("its claims cannot be read")
	}
	if token.Nonce == "" || !secret.New(token.Nonce).Equal(secret.New(nonce)) {
		return verified{}, invalidTokenError("it was made for another sign-in")
	}
	for _, name := range []string{"exp", "iat"} {
		if _, there := claims[name]; !there {
			return verified{}, invalidTokenError("it does not say when it was issued, or when it expires")
		}
	}
	if why := p.times(claims, token.Expiry, token.IssuedAt); why != "" {
		return verified{}, invalidTokenError(why)
	}
	azp, hasAZP := claims["azp"]
	if hasAZP && azp != at.ClientID || !hasAZP && len(token.Audience) > 1 {
		return verified{}, invalidTokenError("it was issued to another client")
	}
	if token.AccessTokenHash != "" && token.VerifyAccessToken(access) != nil {
		return verified{}, invalidTokenError("it does not belong to the access token beside it")
	}
	if token.Subject == "" || len(token.Subject) > maxSubject || !field.Plain(token.Subject) {
		return verified{}, invalidTokenError("its subject is missing or not allowed")
	}
	return verified{token.Subject, claims}, nil
}

// check verifies signature, issuer and audience. Callers check the times, with one leeway for all. It
// returns Unavailable if the keys could not be fetched.
func (p *Party) check(ctx context.Context, at Provider, i *issuer, algorithms []string, raw string) (*gooidc.IDToken, error) {
	if len(algorithms) == 0 { // go-oidc would take an empty list as RS256
		return nil, problem("none of the provider's signature algorithms is asymmetric")
	}
	keys := &trial{keySet: i.keys}
	token, err := gooidc.NewVerifier(at.Issuer, keys, &gooidc.Config{ClientID: at.ClientID, SupportedSigningAlgs: algorithms,
		SkipExpiryCheck: true}).Verify(ctx, raw)
	if keys.unfetched != nil {
		return nil, unavailableError(keys.unfetched)
	}
	return token, err
}

// times checks expiry, not-before and issue time, as far as present, with [Leeway].
func (p *Party) times(claims map[string]any, expiry, issued time.Time) string {
	now := p.now()
	if _, there := claims["exp"]; there && !now.Before(expiry.Add(Leeway)) {
		return "it has expired; check the clocks"
	}
	if _, there := claims["iat"]; there && issued.After(now.Add(Leeway)) {
		return "it was issued in the future; check the clocks"
	}
	if raw, there := claims["nbf"]; there {
		n, ok := raw.(json.Number)
		seconds, err := n.Float64()
		if !ok || err != nil || seconds > float64(now.Add(Leeway).Unix()) {
			return "it is not valid yet; check the clocks"
		}
	}
	return ""
}

func invalidTokenError(why string) error {
	return refusalError(problem(why), "The identity provider's ID token is not valid: "+why+".")
}

// claimsOf decodes claims and keeps numbers as written.
func claimsOf(from interface{ Claims(any) error }) (map[string]any, error) {
	var raw json.RawMessage
	if err := from.Claims(&raw); err != nil {
		return nil, err
	}
	return decodeClaims(raw)
}

func decodeClaims(raw []byte) (out map[string]any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&out); err != nil || out == nil {
		return nil, problem("the claims are not a JSON object")
	}
	return out, nil
}

// userinfo requests more claims. They count only if they are about the same subject (OpenID Connect Core
// 1.0, section 5.3.2). A failure is an error, because roles may depend on the claims.
func (p *Party) userinfo(ctx context.Context, at Provider, i *issuer, access, subject string) (map[string]any, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, i.meta.UserinfoURL, nil)
	if err != nil {
		return nil, unavailableError(problem("the userinfo endpoint is not an address of the web"))
	}
	req.Header.Set("Authorization", "Bearer "+access)
	req.Header.Set("Accept", "application/json, application/jwt")
	contentType, body, err := p.send(req)
	if err != nil {
		return nil, unavailableError(err)
	}
	var claims map[string]any
	if kind, _, _ := mime.ParseMediaType(contentType); kind == "application/jwt" {
		token, err := p.check(ctx, at, i, i.meta.infoAlgorithms(), string(bytes.TrimSpace(body)))
		if errs.Is(err, errs.Unavailable) {
			return nil, err
		}
		if err != nil {
			return nil, refusalError(err, "The identity provider's userinfo is not signed as it should be.")
		}
		if claims, err = claimsOf(token); err != nil {
			return nil, refusalError(err, "The identity provider's userinfo cannot be read.")
		}
		if why := p.times(claims, token.Expiry, token.IssuedAt); why != "" {
			return nil, refusalError(problem(why), "The identity provider's userinfo is not valid: "+why+".")
		}
	} else if claims, err = decodeClaims(body); err != nil {
		return nil, refusalError(err, "The identity provider's userinfo cannot be read.")
	}
	if sub, _ := claims["sub"].(string); sub != subject {
		return nil, refusalError(nil, "The identity provider's userinfo is about another person.")
	}
	return claims, nil
}

// maxName is the maximum length of a name, in characters.
const maxName = 100

// displayName returns the name to display. It is the provider's text, cut to one line, and never an
// identity.
func displayName(claims map[string]any, subject string) string {
	for _, claim := range []string{"name", "preferred_username", "nickname", "email"} {
		text, _ := claims[claim].(string)
		if text = strings.TrimSpace(text); text != "" && field.Plain(text) {
			return clip.Runes(text, maxName, "")
		}
	}
	return clip.Runes(subject, maxName, "")
}
