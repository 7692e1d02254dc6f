package sarif

import (
	"net/url"
	"path"
	"strings"
)

// resolver turns the addresses of a run into paths.
type resolver struct {
	bases     map[string]wireArtifact
	artifacts []wireFile
}

// maxBases bounds how many bases lead from an address to its root.
const maxBases = 5

// path returns the path of an artifact, and whether it is outside the root. A relative path is below the root, whether or not the
// document names the root. An absolute path stays absolute unless it is below a named root.
func (r resolver) path(a wireArtifact) (out string, outside bool) {
	if a.URI == "" && a.Index != nil && *a.Index >= 0 && *a.Index < len(r.artifacts) {
		a = r.artifacts[*a.Index].Location
	}
	if a.URI == "" || len(a.URI) > maxURI {
		return "", a.URI != ""
	}
	out, ok := filePath(a.URI)
	if !ok {
		return "", true
	}
	if isAbsolute(out) {
		return r.belowRoot(out), false
	}
	for n := 0; a.Base != "" && n < maxBases; n++ { // a base can be below another base, and the last one is the root
		base := r.bases[a.Base]
		a.Base = base.Base
		if dir, ok := filePath(base.URI); ok && dir != "" && !isAbsolute(dir) {
			out = dir + "/" + out
		}
	}
	out = path.Clean(out)
	return out, out == "." || out == ".." || strings.HasPrefix(out, "../")
}

// belowRoot returns an absolute path relative to the longest named root that holds it, or as it is.
func (r resolver) belowRoot(p string) string {
	out := p
	for _, base := range r.bases {
		root, ok := filePath(base.URI)
		if !ok || !isAbsolute(root) || len(root) < 2 {
			continue
		}
		if rest, below := strings.CutPrefix(p, strings.TrimSuffix(root, "/")+"/"); below && len(rest) < len(out) {
			out = rest
		}
	}
	return out
}

// filePath returns the path in a URI reference, with slashes and without escapes. It takes paths of Windows, and plain paths that were
// not escaped. ok is false for addresses of other schemes, and for paths with NUL or a line break.
func filePath(uri string) (out string, ok bool) {
	if strings.Contains(uri, `\`) || isDrive(uri) {
		out = strings.ReplaceAll(uri, `\`, "/") // a path of Windows, written as it is
		if host, is := strings.CutPrefix(out, "file://"); is {
			out = strings.TrimPrefix(host, "/")
		}
	} else {
		u, err := url.Parse(uri)
		switch {
		case err != nil:
			out = uri // such as 100%.go, which is not escaped
		case u.Scheme == "file":
			if u.Host != "" && u.Host != "localhost" {
				return "", false
			}
			out = u.Path
		case u.Scheme != "" || u.Host != "":
			return "", false
		case u.RawQuery != "" || u.Fragment != "":
			out = uri // such as a#b.go, which is not escaped
		default:
			out = u.Path
		}
		if out == "" {
			return "", uri == ""
		}
		if isDrive(strings.TrimPrefix(out, "/")) {
			out = strings.TrimPrefix(out, "/")
		}
	}
	if strings.ContainsAny(out, "\x00\n\r") {
		return "", false
	}
	return path.Clean(out), true
}

// isDrive reports whether a path begins with a drive of Windows.
func isDrive(p string) bool {
	return len(p) >= 3 && p[1] == ':' && (p[2] == '/' || p[2] == '\\') && (p[0]|0x20 >= 'a' && p[0]|0x20 <= 'z')
}

func isAbsolute(p string) bool { return strings.HasPrefix(p, "/") || isDrive(p) }
