package oidc

import (
	"context"
	"crypto/rsa"
	"encoding/json"
	"slices"
	"sync"
	"time"

	jose "github.com/go-jose/go-jose/v4"
	"golang.org/x/time/rate"
)

const (
	// keysLife is how long keys are trusted. After that, a key that the provider withdrew stops working
	// (design choice).
	keysLife = time.Hour
	// keysEvery and keysBurst limit how often unknown keys cause a new request.
	keysEvery = 10 * time.Second
	keysBurst = 5
	// maxKeys bounds a key set (design choice; providers publish a handful).
	maxKeys = 100
	// maxRSA bounds the modulus of a key, in bits, because the time of a verification grows with its square
	// (design choice; providers have 2,048 to 4,096).
	maxRSA = 16 << 10
)

// keySet holds the keys of an issuer. It requests them again, at a limited rate, when a token names an
// unknown key (OpenID Connect Core 1.0, section 10.1.1). It is safe for concurrent use.
type keySet struct {
	party   *Party
	address string
	asks    *rate.Limiter

	mu      sync.Mutex
	keys    []jose.JSONWebKey
	fetched time.Time
}

func newKeySet(p *Party, address string) *keySet {
	return &keySet{party: p, address: address, asks: rate.NewLimiter(rate.Every(keysEvery), keysBurst)}
}

// fetchError means that the keys could not be fetched, which shows nothing about a token.
type fetchError struct{ error }

// VerifySignature implements the key set of go-oidc, which has already checked the algorithm.
func (k *keySet) VerifySignature(ctx context.Context, jwt string) ([]byte, error) {
	var algorithms []jose.SignatureAlgorithm
	for _, a := range asymmetricAlgorithms() {
		algorithms = append(algorithms, jose.SignatureAlgorithm(a))
	}
	jws, err := jose.ParseSigned(jwt, algorithms)
	if err != nil || len(jws.Signatures) != 1 {
		return nil, problem("the token is not a signed one")
	}
	k.mu.Lock()
	keys, old := k.keys, k.party.now().Sub(k.fetched) > keysLife
	k.mu.Unlock()
	if !old {
		if payload, ok := verifyWith(jws, keys); ok {
			return payload, nil
		}
	}
	if !k.asks.AllowN(k.party.now(), 1) {
		return nil, problem("the token is signed with a key that is not known")
	}
	if keys, err = k.fetch(ctx); err != nil {
		return nil, &fetchError{err}
	}
	if payload, ok := verifyWith(jws, keys); ok {
		return payload, nil
	}
	return nil, problem("the token is not signed with a key of the provider")
}

// verifyWith verifies with the keys that the header names, or with all keys if it names none.
func verifyWith(jws *jose.JSONWebSignature, keys []jose.JSONWebKey) ([]byte, bool) {
	header := jws.Signatures[0].Header
	for _, key := range keys {
		if header.KeyID != "" && key.KeyID != header.KeyID || key.Algorithm != "" && key.Algorithm != header.Algorithm {
			continue
		}
		if payload, err := jws.Verify(&key); err == nil {
			return payload, true
		}
	}
	return nil, false
}

func (k *keySet) fetch(ctx context.Context) ([]jose.JSONWebKey, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := k.party.getJSON(ctx, k.address, &set); err != nil {
		return nil, err
	}
	keys := publicKeys(set.Keys)
	if len(keys) == 0 {
		return nil, problem("the key set has no key for signatures")
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keys, k.fetched = keys, k.party.now()
	return slices.Clone(keys), nil
}

// publicKeys decodes the keys of a set that can verify signatures. It skips others, because a set may
// contain unknown kinds (RFC 7517, section 5).
func publicKeys(raw []json.RawMessage) (out []jose.JSONWebKey) {
	for _, r := range raw[:min(len(raw), maxKeys)] {
		var key jose.JSONWebKey
		if err := key.UnmarshalJSON(r); err != nil || !key.IsPublic() || key.Use == "enc" {
			continue
		}
		if public, is := key.Key.(*rsa.PublicKey); is && public.N.BitLen() > maxRSA {
			continue
		}
		out = append(out, key)
	}
	return out
}

// trial is the key set of one verification. It keeps the error of fetching the keys, because go-oidc passes
// it on only as text.
type trial struct {
	*keySet
	unfetched error
}

// VerifySignature implements the key set of go-oidc.
func (t *trial) VerifySignature(ctx context.Context, jwt string) ([]byte, error) {
	payload, err := t.keySet.VerifySignature(ctx, jwt)
	if f, ok := errorAs[*fetchError](err); ok {
		t.unfetched = f.error
	}
	return payload, err
}
