package browser

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shoot writes a picture of the window into the folder of the pictures.
func (p *page) shoot(name string) {
	p.t.Helper()
	var out struct{ Data string }
	p.do("Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": true}, &out)
	raw, err := base64.StdEncoding.DecodeString(out.Data)
	must(p.t, err)
	must(p.t, os.WriteFile(filepath.Join(os.Getenv("ASSAY_SHOTS"), name+".png"), raw, 0o600))
}

// holding answers the page's requests to the interface with a status; 0 never answers. Requests about
// the person and their permissions go to the service.
func (p *page) holding(status int) {
	p.t.Helper()
	p.listen(p.session, func(m message) {
		p.heard(m)
		if m.Method != "Fetch.requestPaused" {
			return
		}
		var v struct {
			RequestID string
			Request   struct{ URL string }
		}
		_ = json.Unmarshal(m.Params, &v) // it is of this kind
		switch {
		case strings.HasSuffix(v.Request.URL, "/access"):
			p.call(p.session, "Fetch.continueRequest", map[string]any{"requestId": v.RequestID})
		case status > 0:
			body := base64.StdEncoding.EncodeToString([]byte(`{"type":"about:blank","title":"Unavailable","status":503,"code":"database_down","detail":"The database does not answer.","requestId":"req_shot"}`))
			p.call(p.session, "Fetch.fulfillRequest", map[string]any{"requestId": v.RequestID, "responseCode": status, "body": body,
				"responseHeaders": []map[string]string{{"name": "Content-Type", "value": "application/problem+json"}}})
		}
	})
}

// TestShots takes pictures of every page for inspection: make shots. Wide in both colours, narrow,
// while loading, and with a failing service; and of an empty tenant.
func TestShots(t *testing.T) {
	folder := os.Getenv("ASSAY_SHOTS")
	if folder == "" {
		t.Skip("make shots makes the pictures: ASSAY_SHOTS names their folder")
	}
	must(t, os.MkdirAll(folder, 0o755))
	d := sharedDemo(t)
	base := d.base
	p := newTab(t)
	p.signIn(d.manager(t))
	p.ready()
	ids := d.ids(p)
	at := func(route string) string { return fillIn(t, route, ids) + "?repository=" + ids["repositoryId"] }
	d.each(t, consoleRoutes(t), (*page).goTo, at, func(p *page, route string) {
		for _, look := range []struct {
			name    string
			width   int
			colours string
		}{{"wide", 1280, "light"}, {"dark", 1280, "dark"}, {"narrow", 360, "light"}} {
			p.look(look.width, look.colours)
			p.shoot(shotName(route) + "." + look.name)
		}
		p.look(1280, "light")
		if strings.HasSuffix(route, "/not-available") || route == "/invitation" {
			return // it asks for nothing that could fail: the list is fixed, and an invitation without a link is not read
		}
		for state, status := range map[string]int{"failing": 503, "loading": 0} {
			p.holding(status)
			p.do("Fetch.enable", map[string]any{"patterns": []map[string]string{{"urlPattern": "*/api/*tenants/*"}, {"urlPattern": "*/api/instance/*"}, {"urlPattern": "*/api/me/sessions"}}}, nil)
			p.goTo(base + at(route))
			p.soon(route+", "+state, map[string]string{"failing": "document.querySelector('main [role=alert]')", "loading": "document.querySelector('main h1')"}[state])
			p.shoot(shotName(route) + "." + state)
			p.do("Fetch.disable", nil, nil)
		}
		p.forget()
	})
}

// TestShotsForTheDocs takes the pictures of docs/images from the demo in a window of 1280 by 900: make
// shots.
func TestShotsForTheDocs(t *testing.T) {
	if os.Getenv("ASSAY_SHOTS") == "" {
		t.Skip("make shots makes the pictures: ASSAY_SHOTS names their folder")
	}
	d := sharedDemo(t)
	p := newTab(t)
	p.signIn(d.manager(t))
	p.ready()
	ids := d.ids(p)
	tenant := d.base + "/t/" + ids["tenantId"]
	repository := tenant + "/repositories/" + ids["repositoryId"]
	for name, at := range map[string]string{
		"overview": tenant, "models": tenant + "/models", "costs": tenant + "/costs", "policy": repository + "/policy?q=noise",
		"review-diff": repository + "/runs/" + ids["runId"] + "?tab=diff", "approval": d.waits + "?tab=approval",
	} {
		p.goTo(at)
		p.until(loaded)
		p.soon(name, "!document.querySelector('main [aria-busy=true]') && document.fonts.status === 'loaded'")
		must(t, p.run(`(() => { document.querySelector("main .demo")?.remove(); scrollTo(0, 0); })()`, nil)) // the text beside the picture says it
		p.shootForTheDocs(name)
	}
	var pulls []string
	must(t, p.run(`JSON.parse(document.querySelector("meta[name=assay-demo]").content).pulls`, &pulls))
	p.goTo(pulls[0])
	p.says("A model describes the change")
	p.do("Emulation.setDeviceMetricsOverride", map[string]any{"width": 1180, "height": 1465, "deviceScaleFactor": 1, "mobile": false}, nil)
	p.shootForTheDocs("review")
}

// shootForTheDocs takes a picture of the window for a page of the docs.
func (p *page) shootForTheDocs(name string) {
	p.t.Helper()
	var out struct{ Data string }
	p.do("Page.captureScreenshot", map[string]any{"format": "png"}, &out)
	raw, err := base64.StdEncoding.DecodeString(out.Data)
	must(p.t, err)
	must(p.t, os.WriteFile(filepath.Join(os.Getenv("ASSAY_SHOTS"), "docs-"+name+".png"), small(p.t, raw), 0o600))
}

// small writes a picture with its 256 most frequent colours, which is enough for a page, and a third of
// the bytes.
func small(t testing.TB, raw []byte) []byte {
	t.Helper()
	from, err := png.Decode(bytes.NewReader(raw))
	must(t, err)
	size, counts := from.Bounds(), map[color.RGBA]int{}
	for y := range size.Dy() {
		for x := range size.Dx() {
			counts[color.RGBAModel.Convert(from.At(x, y)).(color.RGBA)]++
		}
	}
	most := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int { return counts[b] - counts[a] })
	var colours color.Palette
	for _, c := range most[:min(len(most), 256)] {
		colours = append(colours, c)
	}
	to, nearest := image.NewPaletted(size, colours), map[color.RGBA]uint8{}
	for y := range size.Dy() {
		for x := range size.Dx() {
			c := color.RGBAModel.Convert(from.At(x, y)).(color.RGBA)
			i, known := nearest[c]
			if !known {
				i = uint8(colours.Index(c)) // at most 255
				nearest[c] = i
			}
			to.SetColorIndex(x, y, i)
		}
	}
	var out bytes.Buffer
	must(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, to))
	return out.Bytes()
}

// shotName returns the name of a page's pictures.
func shotName(route string) string {
	name := strings.Trim(strings.NewReplacer("/t/$tenantId", "", "/", "-", "$", "").Replace(route), "-")
	if name == "" {
		return "overview"
	}
	return name
}

// TestShotsOfAnEmptyTenant takes pictures of the pages of a new, empty tenant.
func TestShotsOfAnEmptyTenant(t *testing.T) {
	if os.Getenv("ASSAY_SHOTS") == "" {
		t.Skip("make shots makes the pictures: ASSAY_SHOTS names their folder")
	}
	s := empty(t)
	p := newTab(t)
	p.signIn(s.manager(t))
	ids := map[string]string{"tenantId": p.tenant()}
	routes := slices.DeleteFunc(consoleRoutes(t), func(route string) bool { return strings.Contains(strings.ReplaceAll(route, "$tenantId", ""), "$") })
	s.each(t, routes, (*page).goTo, func(route string) string { return fillIn(t, route, ids) }, func(p *page, route string) { p.shoot(shotName(route) + ".empty") })
}

// soon waits for an expression to be true as long as a person would. If it stays false, it reports the
// failure and continues with the other pages.
func (p *page) soon(what, expression string) {
	p.t.Helper()
	var is bool
	err := p.run(`new Promise(done => {
		const at = Date.now(), look = () => (`+expression+`) ? done(true) : Date.now() - at > 20000 ? done(false) : setTimeout(look, 50);
		look();
	})`, &is)
	if err != nil || !is {
		p.t.Errorf("%s: %s is false (%v) at %s", what, expression, err, p.at())
	}
}

// forget drops recorded error responses that were expected.
func (p *page) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failed, p.complaints = nil, nil
}
