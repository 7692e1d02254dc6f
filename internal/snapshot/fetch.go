package snapshot

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"net/url"
	"strings"

	"github.com/assay-dev/assay/internal/errs"
)

// Remote is the source of a repository's objects.
type Remote struct {
	URL      string                       // https, without user information
	Username string                       // "x-access-token" if empty, as GitHub requires for installation tokens
	Bearer   bool                         // the token is sent as a bearer, without the user name
	Token    interface{ Reveal() string } // nil for public repositories
	// Resolve pins addresses that were checked before: "host:port:address" (git's http.curloptResolve), so
	// that no other name lookup decides.
	Resolve []string
	// Proxy is the egress proxy (http or https, perhaps with credentials) for git; "" for no proxy. The
	// proxy then resolves the host's name.
	Proxy     string
	AllowHTTP bool   // for hosts in the operator's air-gap file
	CAFile    string // certificates of a private authority, PEM; "": the system's
	// Turn waits until the host may be asked, and then calls talk. The context of talk may end before the
	// caller's: git is killed then, and the cause is the error. nil asks at once.
	Turn func(ctx context.Context, talk func(ctx context.Context) error) error
}

func (r Remote) check() error {
	u, err := url.Parse(r.URL)
	if err != nil || u.Host == "" || u.Hostname() == "" || u.User != nil || u.Fragment != "" || u.Opaque != "" ||
		strings.ContainsAny(r.URL, "\n\r\x00 ") {
		return errs.New(errs.Malformed, "bad_remote", "The repository's URL must be absolute, without user name and fragment.")
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !r.AllowHTTP) {
		return errs.New(errs.Malformed, "bad_remote", "The repository's URL must use https.")
	}
	if p, err := url.Parse(r.Proxy); r.Proxy != "" && (err != nil || p.Scheme != "http" && p.Scheme != "https" || p.Host == "" ||
		strings.ContainsAny(r.Proxy, "\n\r\x00 ")) {
		return errs.New(errs.Malformed, "bad_remote", "The egress proxy must be an http or https URL.")
	}
	for _, s := range r.Resolve {
		if strings.ContainsAny(s, "\n\r\x00") {
			return errs.New(errs.Malformed, "bad_remote", "A pinned address must have the form host:port:address.")
		}
	}
	return nil
}

// config returns the configuration that a fetch adds, and the secrets in it that must not be logged. It
// travels in the child's environment, because command lines and disks are visible to others.
func (r Remote) config() (config [][2]string, protocol string, hidden []string) {
	u, _ := url.Parse(r.URL)
	protocol = u.Scheme
	config = append(config, [2]string{"protocol." + protocol + ".allow", "always"})
	if r.Token != nil {
		token := r.Token.Reveal()
		proof := "Bearer " + token
		if !r.Bearer {
			basic := base64.StdEncoding.EncodeToString([]byte(cmp.Or(r.Username, "x-access-token") + ":" + token))
			proof, hidden = "Basic "+basic, append(hidden, basic)
		}
		config = append(config, [2]string{"http." + u.Scheme + "://" + u.Host + "/.extraHeader", "Authorization: " + proof})
		hidden = append(hidden, token)
	}
	for _, s := range r.Resolve {
		config = append(config, [2]string{"http.curloptResolve", s})
	}
	if r.Proxy != "" { // overrides the empty proxy of every call
		config = append(config, [2]string{"http.proxy", r.Proxy})
		if p, err := url.Parse(r.Proxy); err == nil && p.User != nil {
			password, _ := p.User.Password()
			hidden = append(hidden, p.User.String(), password)
		}
	}
	if r.CAFile != "" {
		config = append(config, [2]string{"http.sslCAInfo", r.CAFile}, [2]string{"http.proxySSLCAInfo", r.CAFile})
	}
	return config, protocol, hidden
}

// fetch fetches commits at depth 1 into the store, when it is the remote's turn.
func (c *Cache) fetch(ctx context.Context, repo *Repo, remote Remote, shas []string) error {
	if len(shas) == 0 {
		return nil
	}
	talk := func(ctx context.Context) error { return c.talk(ctx, repo, remote, shas) }
	if remote.Turn == nil {
		return talk(ctx)
	}
	return remote.Turn(ctx, talk)
}

// talk runs the command that asks the host, within the time of a fetch.
func (c *Cache) talk(ctx context.Context, repo *Repo, remote Remote, shas []string) error {
	inner, cancel := context.WithTimeout(ctx, cmp.Or(c.FetchTimeout, defaultFetchTimeout))
	defer cancel()
	config, protocol, hidden := remote.config()
	args := []string{"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance",
		"--no-show-forced-updates", "--depth=1", "--end-of-options", remote.URL}
	for _, s := range shas {
		args = append(args, "+"+s+":refs/assay/"+s)
	}
	limit := cmp.Or(c.MaxRepoBytes, defaultMaxRepo)
	_, err := repo.git.run(inner, call{dir: repo.dir, args: args, config: config, protocol: protocol, what: "repository", watch: func() error {
		if folderSize(repo.dir) > limit {
			return tooLarge("repository")
		}
		return nil
	}})
	if err == nil && folderSize(repo.dir) > limit {
		err = tooLarge("repository")
	}
	if err != nil {
		if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
			return errs.Wrap(err, errs.Unavailable, "fetch_timeout", "The host did not deliver the repository in time.")
		}
		return classify(err, hidden)
	}
	keepRefs(repo.dir)
	return nil
}

// classify turns git's messages into a kind of error. The texts are those of git's remote-curl.c, http.c,
// upload-pack.c and fetch-pack.c with LC_ALL=C.
func classify(err error, hidden []string) error {
	g, ok := errors.AsType[*gitError](err)
	if !ok {
		return err
	}
	for _, h := range hidden {
		if h != "" {
			g.stderr = strings.ReplaceAll(g.stderr, h, "[hidden]")
		}
	}
	text := strings.ToLower(g.stderr)
	mentions := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(text, p) {
				return true
			}
		}
		return false
	}
	switch {
	case mentions("error: 429", "http 429"):
		return errs.Wrap(g, errs.RateLimited, "fetch_limited", "The host has too many requests of this token.")
	case mentions("not our ref", "unadvertised object", "couldn't find remote ref", "no such remote ref", "shallow file has changed"):
		return errs.Wrap(g, errs.NotFound, "commit_gone", "The host does not have the commit.")
	case mentions("authentication failed", "error: 401", "error: 403", "could not read username", "terminal prompts disabled"):
		return errs.Wrap(g, errs.Forbidden, "fetch_refused", "The host refuses to give the repository to this token.")
	case mentions("not found", "error: 404"):
		return errs.Wrap(g, errs.NotFound, "repository_gone", "The host does not have the repository, or hides it from this token.")
	case mentions("error: 301", "error: 302", "error: 307", "error: 308", "unable to update url base from redirection"):
		return errs.Wrap(g, errs.Unavailable, "fetch_redirect", "The host answers with a redirect, which is not followed.")
	case mentions("no space left"):
		return errs.Wrap(g, errs.Unavailable, "snapshot_disk_full", "The disk of the snapshots is full.")
	case mentions("bad object", "corrupt", "not a git repository", "is empty", "unable to read", "missing blob", "missing tree",
		"could not parse", "invalid index-pack", "bad config", "bad signature"):
		return errs.Wrap(errors.Join(errDamaged, g), errs.Unavailable, "snapshot_damaged", "The snapshot of the repository is damaged.")
	}
	return errs.Down(g, "code host", 0)
}
