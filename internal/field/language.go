package field

import "golang.org/x/text/language"

// Language checks the tag of a language (BCP 47, RFC 5646): well-formed, and of
// subtags that are registered.
func (c *Check) Language(pointer, tag string) {
	t, err := language.Parse(tag)
	c.That(err == nil && t != language.Und, pointer, "must be the tag of a language after BCP 47, such as en or pt-BR")
}
