package wire

import "github.com/assay-dev/assay/internal/clip"

// Words is [clip.Words].
func Words(s string, n int) string { return clip.Words(s, n) }

// Link returns an address for people, or "" if it is longer than browsers take.
func Link(s string) string {
	if len(s) > maxLink {
		return ""
	}
	return s
}

const maxLink = 2000 // bytes

// OneLine is [clip.OneLine].
func OneLine(s string, n int) string { return clip.OneLine(s, n) }
