package wire

import "github.com/assay-dev/assay/internal/clip"

// Words is [clip.Words].
func Words(s string, n int) string { return clip.Words(s, n) }

// OneLine is [clip.OneLine].
func OneLine(s string, n int) string { return clip.OneLine(s, n) }
