package github

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// actor is the sender of a request.
type actor struct {
	login   string // of the user or bot; "app:<slug>" for an app
	user    *user
	app     *app
	instID  int64
	perms   map[string]string
	repoIDs []int64 // the token's restriction; nil means the whole installation
	isApp   bool
}

func requestID(seq int64) string {
	sum := sha256.Sum256([]byte(strconv.FormatInt(seq, 10)))
	x := strings.ToUpper(hex.EncodeToString(sum[:]))
	return fmt.Sprintf("%s:%s:%X:%s", x[:4], x[4:10], seq, x[10:18])
}

// credentials returns the secret of the Authorization header: Bearer, token, or the password of Basic.
func credentials(r *http.Request) string {
	if _, password, ok := r.BasicAuth(); ok {
		return password
	}
	scheme, rest, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "bearer") || strings.EqualFold(scheme, "token") {
		return strings.TrimSpace(rest)
	}
	return ""
}

// authenticate returns the sender of a request; (nil, nil) without credentials.
func (s *Server) authenticate(r *http.Request) (*actor, *reply) {
	secret := credentials(r)
	switch {
	case secret == "" && r.Header.Get("Authorization") == "":
		return nil, nil
	case strings.HasPrefix(secret, installationPrefix):
		return s.installationActor(secret)
	case strings.HasPrefix(secret, userTokenPrefix):
		return s.userActor(secret)
	case strings.Count(secret, ".") == 2:
		return s.appActor(secret)
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for _, u := range s.st.Users {
		if u.Token != "" && subtle.ConstantTimeCompare([]byte(u.Token), []byte(secret)) == 1 {
			return &actor{login: u.Login, user: u}, nil
		}
	}
	return nil, fail(http.StatusUnauthorized, "Bad credentials")
}

// maxJWTLife is the longest life of an app JWT that GitHub accepts: ten minutes
// (docs.github.com, "Generating a JSON Web Token (JWT) for a GitHub App").
const maxJWTLife = 10 * 60

// jwtSkew bounds iat in seconds ahead of the host's clock. [inference: GitHub advises to set iat 60 s back]
const jwtSkew = 60

// appActor verifies an app's JWT: RS256, the app's key, iat and exp.
func (s *Server) appActor(token string) (*actor, *reply) {
	refuse := func(text string) (*actor, *reply) { return nil, fail(http.StatusUnauthorized, text) }
	parts := strings.Split(token, ".")
	var header struct{ Alg string }
	var claims struct {
		Iss      json.RawMessage
		Iat, Exp *json.Number
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil || decodePart(parts[0], &header) != nil || decodePart(parts[1], &claims) != nil || header.Alg != "RS256" {
		return refuse("A JSON web token could not be decoded")
	}
	now := s.tokenTime().Unix()
	exp, ok := integer(claims.Exp)
	if !ok || exp <= now {
		return refuse("'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires")
	}
	iat, ok := integer(claims.Iat)
	if !ok || iat > now+jwtSkew {
		return refuse("'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued")
	}
	if exp-now > maxJWTLife+jwtSkew || exp-iat > maxJWTLife+jwtSkew {
		return refuse("'Expiration time' claim ('exp') is too far in the future")
	}
	issuer := strings.Trim(string(claims.Iss), `"`)
	s.Mu.Lock()
	defer s.Mu.Unlock()
	var a *app
	for _, candidate := range s.st.Apps {
		if strconv.FormatInt(candidate.ID, 10) == issuer || candidate.ClientID == issuer {
			a = candidate
		}
	}
	if a == nil {
		return nil, fail(http.StatusNotFound, "Integration not found")
	}
	key, err := parsePublicKey(a.PublicKeyPEM)
	if err != nil {
		return refuse("A JSON web token could not be decoded")
	}
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], signature) != nil {
		return refuse("A JSON web token could not be decoded")
	}
	return &actor{login: "app:" + a.Slug, app: a, isApp: true}, nil
}

func decodePart(part string, v any) error {
	raw, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, v)
}

func integer(n *json.Number) (int64, bool) {
	if n == nil {
		return 0, false
	}
	if v, err := n.Int64(); err == nil {
		return v, true
	}
	f, err := n.Float64() // some libraries write 1.7e9
	return int64(f), err == nil && f == float64(int64(f))
}

func parsePublicKey(text string) (*rsa.PublicKey, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("publicKeyPem: must be a PEM block with an RSA public key")
	}
	if key, err := x509.ParsePKCS1PublicKey(block.Bytes); err == nil {
		return key, nil
	}
	any, err := x509.ParsePKIXPublicKey(block.Bytes)
	if key, ok := any.(*rsa.PublicKey); err == nil && ok {
		return key, nil
	}
	return nil, errors.New("publicKeyPem: must be an RSA public key (PKIX or PKCS#1)")
}

// authorise checks that the caller may use the route, and finds the repository in the path.
func (s *Server) authorise(c *call) *reply {
	a := c.actor
	switch c.route.who {
	case asApp:
		if a == nil || !a.isApp {
			return fail(http.StatusUnauthorized, "A JSON web token could not be decoded")
		}
	case asInst:
		if a == nil {
			return fail(http.StatusUnauthorized, "Requires authentication")
		}
		if a.instID == 0 {
			return fail(http.StatusForbidden, "You must authenticate with an installation access token in order to list repositories for "+
				"an installation.")
		}
	case withAny:
		if a == nil && !c.route.restful() {
			return fail(http.StatusUnauthorized, "Requires authentication")
		}
		if a != nil && a.isApp {
			return fail(http.StatusUnauthorized, "A JSON web token could not be used here: installation or user access token required")
		}
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if id := c.Number("repository_id"); id != 0 {
		c.repo = s.st.Repos[id]
	} else if c.route.restful() {
		c.repo = s.st.repo(c.Vars["owner"], c.Vars["repo"])
	}
	if !c.route.restful() || c.route.who == asApp {
		return nil
	}
	return s.mayUse(a, c.repo, c.route.need)
}

// mayUse returns a refusal if an actor lacks a permission in a repository; Server.Mu is held.
func (s *Server) mayUse(a *actor, r *repository, need string) *reply {
	if r == nil {
		return notFound()
	}
	if a == nil {
		if !r.Private && !strings.Contains(need, ":write") {
			return nil
		}
		if r.Private {
			return notFound()
		}
		return fail(http.StatusUnauthorized, "Requires authentication")
	}
	if a.instID == 0 && a.app != nil && r.Private && s.st.installationFor(a.app.ID, r) == nil {
		return notFound() // a user access token only reaches what both person and app reach
	}
	if a.instID == 0 {
		return s.userMayUse(a.user, r, need)
	}
	inst := s.st.Installations[a.instID]
	if inst == nil || !inst.covers(r) || !a.sees(r.ID) {
		return notFound()
	}
	if need == "" {
		return nil
	}
	for alternative := range strings.SplitSeq(need, "|") {
		name, level, _ := strings.Cut(alternative, ":")
		if granted(a.perms[name], level) && granted(inst.Permissions[name], level) {
			return nil
		}
	}
	return noAccess()
}

func granted(have, want string) bool {
	rank := map[string]int{"": 0, "read": 1, "write": 2, "admin": 3}
	return rank[have] >= rank[want]
}

func (a *actor) sees(repoID int64) bool {
	if a.repoIDs == nil {
		return true
	}
	for _, id := range a.repoIDs {
		if id == repoID {
			return true
		}
	}
	return false
}

func (s *Server) userMayUse(u *user, r *repository, need string) *reply {
	role := s.st.role(u, r)
	switch {
	case role == "none" && r.Private:
		return notFound()
	case strings.HasPrefix(need, "checks:write"):
		return fail(http.StatusForbidden, "You must authenticate via a GitHub App.")
	case (need == "contents:write" || need == "statuses:write") && roleRank[role] < roleRank["write"]:
		return fail(http.StatusForbidden, "Must have push access to repository.")
	}
	return nil
}

var roleRank = map[string]int{"none": 0, "read": 1, "triage": 2, "write": 3, "maintain": 4, "admin": 5}

// role returns the role of a user in a repository: none, read, triage, write, maintain, admin.
func (st *state) role(u *user, r *repository) string {
	if u == nil {
		return "none"
	}
	if strings.EqualFold(u.Login, r.Owner) {
		return "admin"
	}
	role := "none"
	if !r.Private {
		role = "read"
	}
	if owner := st.user(r.Owner); owner != nil {
		switch owner.Members[u.Login] {
		case "admin":
			return "admin"
		case "member":
			role = "read"
		}
	}
	if own, ok := r.Collaborators[u.Login]; ok && roleRank[own] > roleRank[role] {
		role = own
	}
	return role
}
