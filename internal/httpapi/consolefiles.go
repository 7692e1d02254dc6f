package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// assetsPath is the path of the console's files.
const assetsPath = "/assets/console/"

// maxConsole is the maximum size of a console build in memory in bytes, with compressed forms (design
// choice). A larger build is a mistake.
const maxConsole = 32 << 20

// consoleFiles holds the built console in memory. It is immutable.
type consoleFiles struct {
	index  string // with placeholders; see [server.consolePage]
	assets map[string]*asset
	pages  []consoleRoute
}

// asset is a file of the console in its built forms, by the name of their encoding; "" is the uncompressed
// form.
type asset struct {
	kind  string // media type
	hash  string // of the uncompressed form
	forms map[string][]byte
}

// The placeholders of index.html that each answer fills. A build without them is refused.
const (
	noncePlace   = `<meta name="csp-nonce" content="" />`
	demoPlace    = `<meta name="assay-demo" content="" />`
	versionPlace = `<meta name="assay-version" content="" />`
	loadsPlace   = `<!-- first loads -->`
)

// packed lists the encodings that a build can have, the best first, with the suffixes of their file names.
var packed = []struct{ encoding, end string }{{"br", ".br"}, {"gzip", ".gz"}}

// readConsole reads a build of the console: index.html, and the files below assetsPath with their
// compressed forms.
func readConsole(built fs.FS) (*consoleFiles, error) {
	index, err := fs.ReadFile(built, "index.html")
	if err != nil {
		return nil, fmt.Errorf("the console: %w", err)
	}
	for _, place := range []string{noncePlace, demoPlace, versionPlace, loadsPlace} {
		if strings.Count(string(index), place) != 1 {
			return nil, fmt.Errorf("the console: index.html must have %s once", place)
		}
	}
	pages, err := readConsoleRoutes(built)
	if err != nil {
		return nil, fmt.Errorf("the console: pages.json: %w", err)
	}
	c := &consoleFiles{index: string(index), assets: map[string]*asset{}, pages: pages}
	dir, size := strings.Trim(assetsPath, "/"), len(index)
	files, err := fs.ReadDir(built, dir)
	if err != nil {
		return nil, fmt.Errorf("the console: %w", err)
	}
	for _, f := range files {
		raw, err := fs.ReadFile(built, path.Join(dir, f.Name()))
		if err != nil {
			return nil, fmt.Errorf("the console: %w", err)
		}
		if size += len(raw); size > maxConsole {
			return nil, errors.New("the console: the build is too large")
		}
		name, encoding := f.Name(), ""
		for _, p := range packed {
			if plain, is := strings.CutSuffix(name, p.end); is {
				name, encoding = plain, p.encoding
			}
		}
		a := c.assets[name]
		if a == nil {
			a = &asset{kind: mediaType(name), forms: map[string][]byte{}}
			c.assets[name] = a
		}
		if a.forms[encoding] = raw; encoding == "" {
			sum := sha256.Sum256(raw)
			a.hash = hex.EncodeToString(sum[:12])
		}
	}
	for name, a := range c.assets {
		if a.hash == "" {
			return nil, fmt.Errorf("the console: %s has only packed forms", name)
		}
	}
	return c, nil
}

// mediaType returns the type of a file by its name. The types of a build's usual files do not depend on the
// machine.
func mediaType(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".txt":
		return "text/plain; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".woff2":
		return "font/woff2"
	}
	if kind := mime.TypeByExtension(path.Ext(name)); kind != "" {
		return kind
	}
	return "application/octet-stream"
}

// hashed matches names that contain a hash of the content, as Vite writes them.
var hashed = regexp.MustCompile(`-[A-Za-z0-9_-]{8}\.[a-z0-9]+$`)

// consoleAsset serves a file of the console. Browsers keep a file whose name contains a hash of its
// content, and revalidate others. They must not keep the answer for a missing file, because a process of
// another version can have the file.
func (s *server) consoleAsset(w http.ResponseWriter, r *http.Request) {
	var a *asset
	if s.console != nil {
		a = s.console.assets[r.PathValue("file")]
	}
	if a == nil {
		http.Error(w, "This file is not part of the console that is served here.", http.StatusNotFound)
		return
	}
	h := w.Header()
	h.Add("Vary", "Accept-Encoding")
	encoding := a.choose(r.Header.Values("Accept-Encoding"))
	tag := a.hash
	if encoding != "" {
		h.Set("Content-Encoding", encoding)
		tag += "-" + encoding
	}
	h.Set("ETag", `"`+tag+`"`)
	h.Set("Content-Type", a.kind)
	h.Set("Cache-Control", "no-cache")
	if hashed.MatchString(r.PathValue("file")) {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.forms[encoding]))
}

// choose selects the best form that a browser accepts (RFC 9110, 12.5.3). It returns the uncompressed form
// if the browser accepts no other.
func (a *asset) choose(accept []string) string {
	takes, others := map[string]bool{}, false
	for part := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		name, weight, weighs := strings.Cut(part, ";")
		name = strings.ToLower(strings.TrimSpace(name))
		wanted := true
		if weighs {
			q, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(weight), "q="), 64)
			wanted = err == nil && q > 0
		}
		if name == "*" {
			others = wanted
			continue
		}
		takes[name] = wanted
	}
	for _, p := range packed {
		wanted, named := takes[p.encoding]
		if a.forms[p.encoding] != nil && (wanted || !named && others) {
			return p.encoding
		}
	}
	return ""
}
