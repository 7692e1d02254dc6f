package github

import (
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/host"
)

// The pages and the route of the manifest flow (docs.github.com/apps, "Registering a GitHub App from a
// manifest"; GitHub REST description, apps/create-from-manifest), and the page for installing an app
// (docs.github.com/apps, "About the setup URL", "Sharing your GitHub App").
const (
	manifestRoute    = "/settings/apps/new"
	orgManifestRoute = "/organizations/{org}/settings/apps/new"
	conversionRoute  = "/app-manifests/{code}/conversions"

	manifestLife = time.Hour
	maxAppName   = 34
)

// manifestCode can be exchanged for the new app.
type manifestCode struct {
	AppID      int64
	PrivatePEM string
	Expires    int64 // seconds
}

// isForm reports whether a path is one of the pages in the route table.
func isForm(path string) bool {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case len(parts) == 3 && strings.Join(parts, "/") == "settings/apps/new":
		return true
	case len(parts) == 5 && parts[0] == "organizations":
		return strings.Join(parts[2:], "/") == "settings/apps/new"
	case len(parts) == 4 && (parts[0] == "apps" || parts[0] == "github-apps"):
		return parts[2] == "installations" && parts[3] == "new"
	}
	return false
}

type manifest struct {
	Name string `json:"name"`
	URL  string `json:"url"`
	Hook *struct {
		URL    string `json:"url"`
		Active *bool  `json:"active"`
	} `json:"hook_attributes"`
	RedirectURL  string            `json:"redirect_url"`
	CallbackURLs []string          `json:"callback_urls"`
	SetupURL     string            `json:"setup_url"`
	Public       bool              `json:"public"`
	Permissions  map[string]string `json:"default_permissions"`
	Events       []string          `json:"default_events"`
}

// wrong returns the reason why GitHub would refuse the manifest, "" if it is valid.
func (m manifest) wrong() string {
	absolute := func(raw string) bool {
		u, err := url.Parse(raw)
		return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
	}
	switch {
	case strings.TrimSpace(m.Name) == "" || len([]rune(m.Name)) > maxAppName:
		return "name: must have 1 to 34 characters"
	case !absolute(m.URL):
		return "url: must be an absolute address"
	case m.Hook != nil && !absolute(m.Hook.URL):
		return "hook_attributes.url: must be an absolute address"
	case !absolute(m.RedirectURL):
		return "redirect_url: must be an absolute address"
	case m.SetupURL != "" && !absolute(m.SetupURL):
		return "setup_url: must be an absolute address"
	case len(m.CallbackURLs) > 10 || !every(m.CallbackURLs, absolute):
		return "callback_urls: must be at most ten absolute addresses"
	}
	for name, level := range m.Permissions {
		if level != "read" && level != "write" && level != "admin" {
			return "default_permissions." + name + ": must be read, write or admin"
		}
	}
	return ""
}

func every(all []string, f func(string) bool) bool {
	return !slices.ContainsFunc(all, func(s string) bool { return !f(s) })
}

// createApp accepts the posted manifest. If the settings or login_as name a person, it makes the app at once;
// otherwise it shows the choice of people.
func createApp(c *call) *reply {
	form, err := url.ParseQuery(string(c.Body))
	var m manifest
	if err != nil || json.Unmarshal([]byte(form.Get("manifest")), &m) != nil {
		return htmlReply(http.StatusUnprocessableEntity, "<h1>422</h1><p>manifest: must be JSON.</p>")
	}
	if text := m.wrong(); text != "" {
		return htmlReply(http.StatusUnprocessableEntity, "<h1>422</h1><p>"+html.EscapeString(text)+"</p>")
	}
	owner, page := c.creator(form, m)
	if page != nil {
		return page
	}
	spec := simapi.AppSpec{Slug: slugOf(m.Name), Name: m.Name, Owner: owner, Permissions: m.Permissions, Events: m.Events,
		SetupURL: m.SetupURL, Public: m.Public}
	if m.Hook != nil && (m.Hook.Active == nil || *m.Hook.Active) {
		spec.WebhookURL, spec.WebhookSecret = m.Hook.URL, host.RandomHex(20)
	}
	if len(m.CallbackURLs) > 0 {
		spec.CallbackURL = m.CallbackURLs[0]
	}
	made, err := c.s.RegisterApp(c.Ctx, spec)
	if err != nil {
		return htmlReply(http.StatusUnprocessableEntity, "<h1>422</h1><p>"+html.EscapeString(err.Error())+"</p>")
	}
	code := host.RandomHex(20)
	c.s.Mu.Lock()
	if c.s.st.Manifests == nil {
		c.s.st.Manifests = map[string]*manifestCode{}
	}
	c.s.st.Manifests[code] = &manifestCode{AppID: made.ID, PrivatePEM: made.PrivateKeyPEM, Expires: c.s.Now().Add(manifestLife).Unix()}
	c.s.Touch()
	c.s.Mu.Unlock()
	return sendBack(m.RedirectURL, url.Values{"code": {code}}, c.Query.Get("state"))
}

// creator returns the account that owns the new app, or the page for choosing a person.
func (c *call) creator(form url.Values, m manifest) (string, *reply) {
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	login := form.Get("login_as")
	if login == "" {
		login = c.s.settings.SignInAs
	}
	u := c.s.st.user(login)
	if u == nil || u.Type != "User" {
		var b strings.Builder
		b.WriteString("<h1>Create GitHub App</h1><p>This is a simulated GitHub. The app is named " + html.EscapeString(m.Name) +
			". Choose who creates it.</p>")
		for _, l := range c.s.st.people() {
			b.WriteString(`<form method="post"><input type="hidden" name="manifest" value="` + html.EscapeString(form.Get("manifest")) +
				`"><input type="hidden" name="login_as" value="` + html.EscapeString(l) + `"><button>Create as ` + html.EscapeString(l) +
				`</button></form>`)
		}
		return "", htmlReply(http.StatusOK, b.String())
	}
	if c.Vars["org"] == "" {
		return u.Login, nil
	}
	org := c.s.st.user(c.Vars["org"])
	if org == nil || org.Type != "Organization" || org.Members[u.Login] != "admin" {
		return "", htmlReply(http.StatusNotFound, "<h1>404</h1><p>There is no such organization that "+html.EscapeString(u.Login)+" owns.</p>")
	}
	return org.Login, nil
}

// people returns the logins of persons, sorted.
func (st *state) people() (logins []string) {
	for _, u := range st.Users {
		if u.Type == "User" {
			logins = append(logins, u.Login)
		}
	}
	slices.Sort(logins)
	return logins
}

// slugOf derives the slug of an app from its name like GitHub: lower case, hyphens in place of everything
// else.
func slugOf(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		} else if !strings.HasSuffix(b.String(), "-") {
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-")
}

// convertManifest is POST /app-manifests/{code}/conversions: once per code.
func convertManifest(c *call) *reply {
	code := c.s.st.Manifests[c.Vars["code"]]
	delete(c.s.st.Manifests, c.Vars["code"])
	c.s.Touch()
	if code == nil || code.Expires <= c.s.Now().Unix() || c.s.st.Apps[code.AppID] == nil {
		return notFound()
	}
	a := c.s.st.Apps[code.AppID]
	o := c.view().app(a)
	o["client_secret"], o["webhook_secret"], o["pem"] = a.ClientSecret, orNil(a.WebhookSecret), code.PrivatePEM
	return host.JSON(http.StatusCreated, o)
}

// installPage installs an app on an account that the person chooses, and sends the browser to the app's setup
// URL. An owner installs; a member of an organisation can only request it. A private app can only be installed
// on its owner's account.
func installPage(c *call) *reply {
	c.s.Mu.Lock()
	var a *app
	for _, one := range c.s.st.Apps {
		if strings.EqualFold(one.Slug, c.Vars["slug"]) {
			a = one
		}
	}
	login := c.Query.Get("login_as")
	if login == "" {
		login = c.s.settings.SignInAs
	}
	u := c.s.st.user(login)
	if a == nil {
		c.s.Mu.Unlock()
		return htmlReply(http.StatusNotFound, "<h1>404</h1><p>There is no such app.</p>")
	}
	if u == nil || u.Type != "User" {
		defer c.s.Mu.Unlock()
		return c.choosePerson(a)
	}
	accounts := c.s.st.installable(a, u)
	account := c.Query.Get("account")
	if account == "" && len(accounts) == 1 {
		account = accounts[0]
	}
	at := slices.IndexFunc(accounts, func(s string) bool { return strings.EqualFold(s, account) })
	if at < 0 {
		defer c.s.Mu.Unlock()
		return c.chooseAccount(a, accounts)
	}
	account = accounts[at]
	org, setupURL, id := c.s.st.user(account), a.SetupURL, int64(0)
	owns := org.Type == "User" || org.Members[u.Login] == "admin"
	for _, i := range c.s.st.Installations {
		if i.AppID == a.ID && i.Account == account {
			id = i.ID
		}
	}
	appID := a.ID
	c.s.Mu.Unlock()
	with := url.Values{"setup_action": {"update"}}
	switch {
	case !owns:
		with.Set("setup_action", "request")
	case id == 0:
		made, err := c.s.Install(c.Ctx, simapi.InstallSpec{AppID: appID, Account: account})
		if err != nil {
			return htmlReply(http.StatusUnprocessableEntity, "<h1>422</h1><p>"+html.EscapeString(err.Error())+"</p>")
		}
		id = made.ID
		with.Set("setup_action", "install")
	}
	if owns {
		with.Set("installation_id", strconv.FormatInt(id, 10))
	}
	if setupURL == "" {
		return htmlReply(http.StatusOK, "<h1>Installed</h1><p>The app has no setup URL.</p>")
	}
	return sendBack(setupURL, with, c.Query.Get("state"))
}

// installable returns the accounts on which a person can install an app or request it: their own and those of
// their organisations; for a private app only the app's owner.
func (st *state) installable(a *app, u *user) (out []string) {
	for _, o := range st.Users {
		if (o.Login == u.Login || o.Type == "Organization" && o.Members[u.Login] != "") &&
			(a.Public || strings.EqualFold(o.Login, a.OwnerLogin)) {
			out = append(out, o.Login)
		}
	}
	slices.Sort(out)
	return out
}

// chooseAccount returns the page for choosing an account. Server.Mu is held.
func (c *call) chooseAccount(a *app, accounts []string) *reply {
	if len(accounts) == 0 {
		return htmlReply(http.StatusNotFound, "<h1>404</h1><p>The app is private: only the account that owns it can install it.</p>")
	}
	var b strings.Builder
	b.WriteString("<h1>Install " + html.EscapeString(a.Name) + "</h1><ul>")
	for _, l := range accounts {
		q := c.R.URL.Query()
		q.Set("account", l)
		b.WriteString(`<li><a href="?` + html.EscapeString(q.Encode()) + `">` + html.EscapeString(l) + "</a></li>")
	}
	return htmlReply(http.StatusOK, b.String()+"</ul>")
}

// sendBack redirects a browser to an address of the app with additional parameters.
func sendBack(target string, with url.Values, state string) *reply {
	to, err := url.Parse(target)
	if err != nil {
		return htmlReply(http.StatusBadRequest, "<h1>400</h1>")
	}
	if state != "" {
		with.Set("state", state)
	}
	all := to.Query()
	for k, v := range with {
		all[k] = v
	}
	to.RawQuery = all.Encode()
	return (&reply{Status: http.StatusFound, Bare: true}).Set("Location", to.String())
}
