package field

import "golang.org/x/text/language"

// Language checks a language tag (BCP 47, RFC 5646): it must be well-formed, with registered subtags.
func (c *Check) Language(pointer, tag string) {
	t, err := language.Parse(tag)
	c.That(err == nil && t != language.Und, pointer, "must be the tag of a language after BCP 47, such as en or pt-BR")
}
