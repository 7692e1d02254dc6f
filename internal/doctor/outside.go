package doctor

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/github"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/intake"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/store"
)

func (e *examination) keyValue(ctx context.Context) {
	const code, name = "D009", "key-value store"
	if e.Parts.KV == nil {
		e.add(code, name, Skip, "not configured; the queue is in the process", "")
		return
	}
	c := e.Parts.KV()
	defer func() { _ = c.Close() }()
	if err := c.Ping(ctx).Err(); err != nil {
		e.add(code, name, Fail, "does not answer: "+clip.Line(err.Error()),
			"Start Redis or Valkey and check ASSAY_KV_URL: host, port, account, password, TLS. Webhooks are accepted meanwhile; jobs wait.")
		return
	}
	e.add(code, name, OK, "answers", "")
}

// oldestKV is the oldest tested major version of the server.
const oldestKV = 7

func (e *examination) keyValueSettings(ctx context.Context) {
	const code, name = "D010", "key-value settings"
	if e.Parts.KV == nil {
		e.add(code, name, Skip, "not configured", "")
		return
	}
	c := e.Parts.KV()
	defer func() { _ = c.Close() }()
	info, err := c.Info(ctx, "server", "memory").Result()
	if err != nil {
		e.add(code, name, Skip, "the server does not tell", "")
		return
	}
	version := infoField(info, "valkey_version")
	if version == "" {
		version = infoField(info, "redis_version")
	}
	major, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(major)
	policy := infoField(info, "maxmemory_policy")
	switch {
	case err == nil && n < oldestKV:
		e.add(code, name, Fail, "version "+version+" is too old", "Use Redis 7.0 or newer, or Valkey.")
	case policy != "" && policy != "noeviction":
		e.add(code, name, Warn, fmt.Sprintf("version %s; it may evict keys (maxmemory-policy %s)", version, policy),
			"Set maxmemory-policy to noeviction: evicted hints are sent again, but late.")
	default:
		e.add(code, name, OK, fmt.Sprintf("version %s, maxmemory-policy %s", version, policy), "")
	}
}

// infoField returns the value of a line "name:value" of INFO (https://redis.io/docs/latest/commands/info/).
func infoField(info, name string) string {
	for line := range strings.Lines(info) {
		if v, ok := strings.CutPrefix(line, name+":"); ok {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

var gitVersion = regexp.MustCompile(`git version (\d+)\.(\d+)\S*`)

// git 2.37 accepts a resolved address on the command line (http.curloptResolve), which fetching requires;
// see package snapshot.
const gitMajor, gitMinor = 2, 37

func (e *examination) git(ctx context.Context) {
	const code, name = "D011", "git"
	path := e.Config.Git.Path
	if path == "" {
		path = "git"
	}
	out, err := exec.CommandContext(ctx, path, "version").Output()
	if err != nil {
		why := clip.Line(err.Error())
		if errors.Is(err, exec.ErrNotFound) {
			why = "there is no program " + path
		}
		e.add(code, name, Fail, "git does not run: "+why, "Install git, or set ASSAY_GIT_PATH. Without it code is read file by file "+
			"through the host's API, which is slow.")
		return
	}
	m := gitVersion.FindStringSubmatch(string(out))
	if m == nil {
		e.add(code, name, Warn, path+" does not tell its version", "Set ASSAY_GIT_PATH to the git program.")
		return
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2])
	version := strings.TrimPrefix(m[0], "git version ")
	if major < gitMajor || major == gitMajor && minor < gitMinor {
		e.add(code, name, Fail, "version "+version+" is too old", fmt.Sprintf("Install git %d.%d or newer.", gitMajor, gitMinor))
		return
	}
	e.add(code, name, OK, "version "+version, "")
}

func (e *examination) apps(ctx context.Context) {
	const code, name = "D013", "GitHub App"
	if e.skipped(code, name) {
		return
	}
	apps, err := e.store.Apps(ctx)
	switch {
	case err != nil:
		e.add(code, name, Fail, "the apps cannot be read: "+clip.Line(err.Error()), "See D004.")
	case len(apps) == 0 && e.connected(ctx):
		e.add(code, name, Skip, "there is none, and none is needed: other code hosts are connected (D024)", "")
	case len(apps) == 0:
		e.add(code, name, Warn, "no code host is connected", "Register a GitHub App or connect another host: an admin does it, or the "+
			"configuration (ASSAY_BOOTSTRAP_GITHUB_… or ASSAY_BOOTSTRAP_CONNECTION_…, docs/configuration/bootstrap.md).")
	case !e.keys:
		e.add(code, name, Skip, "the stored secrets cannot be opened", "")
	default:
		for _, a := range apps {
			e.app(ctx, name+" "+a.Slug, a)
		}
	}
}

// connected reports whether a code host is connected without an app.
func (e *examination) connected(ctx context.Context) bool {
	all, err := e.enabledConnections(ctx) // D024 reports the error too
	return err == nil && len(all) > 0
}

func (e *examination) app(ctx context.Context, name string, row store.App) {
	const code = "D013"
	client, err := e.Parts.App(ctx, e.store, row.ID)
	if err != nil {
		e.add(code, name, Fail, "the app cannot be opened: "+clip.Line(err.Error()), "Enter the app's private key again.")
		return
	}
	a, err := client.App(ctx)
	switch {
	case codehost.ClassOf(err) == codehost.ClassForbidden:
		e.add(code, name, Fail, row.WebURL+" refuses the app's key",
			"The private key and the app's number must belong together, and the clock must be right (D008). Make a new key on the app's "+
				"page if in doubt.")
		return
	case codehost.ClassOf(err) == codehost.ClassNotFound:
		e.add(code, name, Fail, fmt.Sprintf("%s knows no app with the id %s", row.WebURL, row.ExternalID),
			"Check ASSAY_BOOTSTRAP_GITHUB_APP_ID and ASSAY_BOOTSTRAP_GITHUB_BASE_URL.")
		return
	case err != nil:
		e.add(code, name, Fail, row.WebURL+" cannot be asked: "+clip.Line(err.Error()),
			"Check DNS, firewall and proxy (ASSAY_OUTBOUND_PROXY_URL), and for a private host the air-gap settings.")
		return
	}
	if missing := github.Missing(a); len(missing) > 0 {
		e.add(code, name, Fail, "the app lacks "+strings.Join(missing, ", "),
			"Add them on the app's page; owners of installations must accept new permissions.")
		return
	}
	if surplus := github.Surplus(a); len(surplus) > 0 {
		e.add(code, name, Warn, "works, but has more than it needs: "+strings.Join(surplus, ", "), "Take them away on the app's page.")
		return
	}
	if row.LostWaiting > 0 {
		e.add(code, name, Warn, fmt.Sprintf("%d lost deliveries wait, about %d minutes", row.LostWaiting,
			intake.LostMinutes(int(row.LostWaiting))),
			"They are asked for by themselves, comments first. See that a worker runs (D017), and why they were lost (docs/reliability/outages.md).")
		return
	}
	e.add(code, name, OK, "its key, permissions and events are right", "")
}

func (e *examination) installations(ctx context.Context) {
	const code, name = "D014", "installations"
	if e.skipped(code, name) {
		return
	}
	all, err := e.store.Installations(ctx, "")
	if err != nil {
		e.add(code, name, Fail, "they cannot be read: "+clip.Line(err.Error()), "See D004.")
		return
	}
	n := placed(all)
	message := fmt.Sprintf("%d active, %d waiting for a tenant, %d suspended", n[domain.InstallationActive],
		n[domain.InstallationUnplaced], n[domain.InstallationSuspended])
	switch {
	case n[domain.InstallationUnplaced] > 0:
		e.add(code, name, Warn, message, "Look at them with `assay admin place-installation`, and give each to a tenant; until then "+
			"nothing is reviewed there.")
	case len(all) == 0 && e.connected(ctx):
		e.add(code, name, Skip, "there are none: other code hosts are connected (D024)", "")
	case n[domain.InstallationActive] == 0:
		e.add(code, name, Skip, "none yet: install the app on an account", "")
	default:
		e.add(code, name, OK, message, "")
	}
}

func (e *examination) models(ctx context.Context) {
	const code, name = "D015", "models"
	if e.skipped(code, name) {
		return
	}
	tenants, err := e.store.Tenants(ctx)
	switch {
	case err != nil:
		e.add(code, name, Fail, "the tenants cannot be read: "+clip.Line(err.Error()), "See D004.")
		return
	case len(tenants) == 0:
		e.add(code, name, Skip, "there is no tenant yet", "")
		return
	case !e.keys:
		e.add(code, name, Skip, "the stored secrets cannot be opened", "")
		return
	}
	for _, t := range tenants {
		e.tenantModels(ctx, name+" of "+t.Name, domain.Tenant{ID: t.ID})
	}
}

func (e *examination) tenantModels(ctx context.Context, name string, t domain.Tenant) {
	const code = "D015"
	m, err := e.Parts.Models(ctx, e.store, t.ID)
	if err != nil {
		e.add(code, name, Fail, "they cannot be opened: "+clip.Line(err.Error()), "Enter the model key again.")
		return
	}
	if m == nil {
		e.add(code, name, Warn, "no model is routed: only deterministic checks run",
			"Configure a model (ASSAY_BOOTSTRAP_MODEL_…, docs/configuration/bootstrap.md).")
		return
	}
	var fine []string
	for _, r := range []ask.Route{m.Fast, m.Standard, m.Strong} {
		if r.Client == nil {
			continue
		}
		offered, err := r.Client.ListModels(ctx)
		down, known := errors.AsType[*llm.Error](err)
		switch {
		case known && down.Class == llm.ClassCredential:
			e.add(code, name, Fail, r.Tier+": the endpoint refuses the key", "Enter a key that is valid and may use the model.")
			return
		case known && down.Status == 404:
			fine = append(fine, r.Tier+" "+r.Model+" (the endpoint has no list of models)")
		case err != nil:
			e.add(code, name, Fail, r.Tier+": the endpoint does not answer: "+clip.Line(err.Error()),
				"Check the endpoint's address, DNS, firewall and proxy, and for a private endpoint the air-gap settings.")
			return
		case !offers(offered, r.Model):
			e.add(code, name, Warn, fmt.Sprintf("%s: the endpoint does not list the model %s", r.Tier, r.Model),
				"Check the model's name; some endpoints accept models they do not list.")
			return
		default:
			fine = append(fine, r.Tier+" "+r.Model)
		}
	}
	e.add(code, name, OK, strings.Join(fine, ", "), "")
}

func offers(list []llm.ModelInfo, model string) bool {
	for _, m := range list {
		if m.ID == model {
			return true
		}
	}
	return len(list) == 0
}
