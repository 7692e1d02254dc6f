package mcpclient

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"
	"unicode"
)

// Digest pins a tool: SHA-256, in lower-case hexadecimal, over name, description, schemas of input and output
// (JSON with sorted keys) and the server's host with its port, each preceded by its length. It covers the
// server's original, before cleaning and cutting.
func Digest(name, description string, input, output any, host string) (string, error) {
	in, err := json.Marshal(input)
	if err != nil {
		return "", err
	}
	out, err := json.Marshal(output)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, part := range [][]byte{[]byte("assay mcp tool 1"), []byte(name), []byte(description), in, out, []byte(host)} {
		_, _ = h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		_, _ = h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// strip returns a text without invisible characters.
func strip(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r), unicode.Is(unicode.Variation_Selector, r),
			r == unicode.ReplacementChar, r == 0x2028, r == 0x2029:
			return -1
		}
		return r
	}, s)
}

// truncate returns at most the first most characters of a text.
func truncate(s string, most int) string {
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i]
		}
	}
	return s
}

// isUsableName reports whether a name has only the characters that tools may have, because forms, logs and prompts
// repeat it.
func isUsableName(name string) bool {
	if name == "" || len(name) > maxName {
		return false
	}
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") == ""
}

// hostOf returns the host of a URL with its port.
func hostOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return strings.ToLower(u.Hostname()) + ":" + port
}
