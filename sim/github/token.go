package github

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/sim/host"
)

// installationPrefix starts every installation token.
const installationPrefix = "ghs_"

// tokenLife is the life of an installation token (GitHub REST description, POST …/access_tokens: one hour).
const tokenLife = time.Hour

// tokenClaims are the contents of the stateless token "ghs_<app id>_<JWT>" (GitHub REST description, notice of April 2026).
type tokenClaims struct {
	Issuer      string            `json:"iss"`
	ID          string            `json:"jti"`
	App         int64             `json:"app"`
	Install     int64             `json:"sub"`
	IssuedAt    int64             `json:"iat"`
	Expires     int64             `json:"exp"`
	Permissions map[string]string `json:"permissions"`
	Repos       []int64           `json:"repository_ids,omitempty"`
}

func sign(key []byte, text string) string {
	m := hmac.New(sha256.New, key)
	m.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

func (st *state) mint(c tokenClaims) string {
	b64 := base64.RawURLEncoding.EncodeToString
	text := b64([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + b64(host.Encode(c))
	return installationPrefix + strconv.FormatInt(c.App, 10) + "_" + text + "." + sign(st.TokenKey, text)
}

// installationActor verifies an installation token.
func (s *Server) installationActor(token string) (*actor, *reply) {
	bad := fail(http.StatusUnauthorized, "Bad credentials")
	_, jwt, _ := strings.Cut(strings.TrimPrefix(token, installationPrefix), "_")
	at := strings.LastIndexByte(jwt, '.')
	if at < 0 || strings.Count(jwt, ".") != 2 {
		return nil, bad
	}
	now := s.tokenTime().Unix()
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if !hmac.Equal([]byte(sign(s.st.TokenKey, jwt[:at])), []byte(jwt[at+1:])) {
		return nil, bad
	}
	var c tokenClaims
	if decodePart(jwt[strings.IndexByte(jwt, '.')+1:at], &c) != nil || c.Expires <= now {
		return nil, bad
	}
	if _, revoked := s.st.Revoked[c.ID]; revoked {
		return nil, bad
	}
	inst, a := s.st.Installations[c.Install], s.st.Apps[c.App]
	if inst == nil || a == nil {
		return nil, bad
	}
	if inst.SuspendedAt != 0 {
		return nil, fail(http.StatusForbidden, "This installation has been suspended")
	}
	bot := s.st.userByID(a.BotID)
	return &actor{login: bot.Login, user: bot, app: a, instID: inst.ID, perms: c.Permissions, repoIDs: c.Repos}, nil
}

// createToken is POST /app/installations/{installation_id}/access_tokens.
func createToken(c *call, in struct {
	Repositories  []string          `json:"repositories"`
	RepositoryIDs []int64           `json:"repository_ids"`
	Permissions   map[string]string `json:"permissions"`
}) *reply {
	now := c.s.tokenTime()
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	inst := c.s.st.Installations[c.Number("installation_id")]
	if inst == nil || inst.AppID != c.actor.app.ID {
		return notFound()
	}
	if inst.SuspendedAt != 0 {
		return fail(http.StatusForbidden, "This installation has been suspended")
	}
	if len(in.Repositories)+len(in.RepositoryIDs) > 500 {
		return fail(http.StatusUnprocessableEntity, "There are too many repositories: at most 500 can be listed")
	}
	perms := map[string]string{}
	for k, v := range inst.Permissions {
		perms[k] = v
	}
	if len(in.Permissions) > 0 {
		for k, v := range in.Permissions {
			if !granted(inst.Permissions[k], v) || v == "" {
				return fail(http.StatusUnprocessableEntity, "The permissions requested are not granted to this installation.")
			}
		}
		perms = in.Permissions
		perms["metadata"] = "read"
	}
	var repos []*repository
	restricted := len(in.Repositories)+len(in.RepositoryIDs) > 0
	for _, name := range in.Repositories {
		repos = append(repos, c.s.st.repo(inst.Account, name))
	}
	for _, id := range in.RepositoryIDs {
		repos = append(repos, c.s.st.Repos[id])
	}
	claims := tokenClaims{Issuer: "github-simulator", ID: host.RandomHex(16), App: inst.AppID, Install: inst.ID, IssuedAt: now.Unix(),
		Expires: now.Add(tokenLife).Unix(), Permissions: perms}
	out := obj{"permissions": perms, "expires_at": now.Add(tokenLife).UTC().Format(time.RFC3339), "repository_selection": inst.selection()}
	if restricted {
		v := c.view()
		list := []any{}
		for _, r := range repos {
			if r == nil || !inst.covers(r) {
				return fail(http.StatusUnprocessableEntity, "There is at least one repository that does not exist or is not accessible to "+
					"the parent installation.")
			}
			claims.Repos = append(claims.Repos, r.ID)
			list = append(list, v.repository(r))
		}
		out["repositories"], out["repository_selection"] = list, "selected"
	}
	out["token"] = c.s.st.mint(claims)
	c.wrote("installation_token", "create", inst.ID, 0)
	return created(out)
}

func (i *installation) selection() string {
	if i.All {
		return "all"
	}
	return "selected"
}

// revokeToken is DELETE /installation/token.
func revokeToken(c *call) *reply {
	var claims tokenClaims
	token := credentials(c.R)
	_, jwt, _ := strings.Cut(strings.TrimPrefix(token, installationPrefix), "_")
	if parts := strings.Split(jwt, "."); len(parts) != 3 || decodePart(parts[1], &claims) != nil {
		return fail(http.StatusUnauthorized, "Bad credentials")
	}
	c.s.st.Revoked[claims.ID] = c.s.NowMicros()
	c.wrote("installation_token", "delete", claims.Install, 0)
	return host.NoContent()
}
