package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"net/url"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// consoleRoute is a page of the console and what a browser loads first for it. web/scripts/first.js writes it.
type consoleRoute struct {
	Path  string        `json:"path"` // with $names for segments, such as /t/$tenantId/runs
	Loads []consoleLoad `json:"loads"`
}

// consoleLoad is a file of the console or an answer of the API.
type consoleLoad struct {
	Href   string   `json:"href"`   // with $names of the path
	As     string   `json:"as"`     // script, style or fetch
	Search []string `json:"search"` // the queries of the address for which it is loaded; nil: all
}

// loadLinks are the elements that make a browser load before a page of the console asks, by [consoleLoad.As].
// Answers load at once. Files wait until the console's first script gives their link its rel
// (web/src/app/pageFiles.ts), because both together would delay that script, and with it the frame, on a slow line.
// The console's requests have the same mode and credentials (crossorigin). Because of that, the browser uses the loaded answer
// for the first request with its address.
var loadLinks = map[string]string{
	"script": `<link data-rel="modulepreload" crossorigin href="%s" />`,
	"style":  `<link data-rel="preload" as="style" crossorigin href="%s" />`,
	"fetch":  `<link rel="preload" as="fetch" crossorigin href="%s" />`,
}

// segment matches values of $names that are the same in the address of a page and in addresses of the API.
var segment = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// readConsoleRoutes reads pages.json of a build.
func readConsoleRoutes(built fs.FS) ([]consoleRoute, error) {
	raw, err := fs.ReadFile(built, "pages.json")
	if err != nil {
		return nil, err
	}
	var routes []consoleRoute
	if err := json.Unmarshal(raw, &routes); err != nil {
		return nil, err
	}
	for _, route := range routes {
		for _, l := range route.Loads {
			if loadLinks[l.As] == "" || !strings.HasPrefix(l.Href, "/") || strings.HasPrefix(l.Href, "//") {
				return nil, fmt.Errorf("%s cannot load %q as %q", route.Path, l.Href, l.As)
			}
		}
	}
	if len(routes) == 0 {
		return nil, errors.New("it names no page")
	}
	// A path with fewer names is more specific.
	slices.SortStableFunc(routes, func(a, b consoleRoute) int { return strings.Count(a.Path, "$") - strings.Count(b.Path, "$") })
	return routes, nil
}

// firstLoads returns the elements that load what the page of an address needs first. It returns "" for an
// address without a page.
func (c *consoleFiles) firstLoads(at *url.URL) string {
	for _, route := range c.pages {
		values, is := route.match(at.EscapedPath())
		if !is {
			continue
		}
		fill := strings.NewReplacer(values...)
		var out strings.Builder
		for _, l := range route.Loads {
			if l.Search == nil || slices.Contains(l.Search, at.RawQuery) {
				fmt.Fprintf(&out, loadLinks[l.As], html.EscapeString(fill.Replace(l.Href)))
			}
		}
		return out.String()
	}
	return ""
}

// match reports whether a path is one of the route. It returns the names of the route, each followed by its
// value.
func (p consoleRoute) match(path string) (values []string, is bool) {
	wanted, parts := strings.Split(p.Path, "/"), strings.Split(strings.TrimSuffix(path, "/"), "/")
	if len(wanted) != len(parts) {
		return nil, false
	}
	for i, part := range parts {
		if !strings.HasPrefix(wanted[i], "$") {
			if wanted[i] != part {
				return nil, false
			}
			continue
		}
		if !segment.MatchString(part) {
			return nil, false
		}
		values = append(values, wanted[i], part)
	}
	return values, true
}
