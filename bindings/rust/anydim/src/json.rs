// SPDX-License-Identifier: Apache-2.0
//! Reads the JSON of a model's metadata.

use crate::error::invalid;
use crate::Result;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Whole(i64),
    Real(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// The field of an object, if there is one.
    pub(crate) fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Self::Object(fields) => fields.iter().find(|(n, _)| n == name).map(|(_, value)| value),
            _ => None,
        }
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn as_whole(&self) -> Option<i64> {
        match self {
            Self::Whole(number) => Some(*number),
            _ => None,
        }
    }

    pub(crate) fn is_true(&self) -> bool {
        *self == Self::Bool(true)
    }

    pub(crate) fn list(&self) -> &[Json] {
        match self {
            Self::List(list) => list,
            _ => &[],
        }
    }

    pub(crate) fn fields(&self) -> &[(String, Json)] {
        match self {
            Self::Object(fields) => fields,
            _ => &[],
        }
    }

    /// The value of a text that is JSON.
    pub(crate) fn read(text: &str) -> Result<Self> {
        let mut reader = Reader { text, at: 0 };
        let value = reader.value()?;
        reader.space();
        if reader.at < text.len() {
            return Err(reader.wrong());
        }
        Ok(value)
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn wrong(&self) -> crate::Error {
        invalid("metadata", format!("the model's metadata is no JSON at byte {}", self.at))
    }

    fn space(&mut self) {
        self.at = self.text.len() - self.text[self.at..].trim_start().len();
    }

    fn takes(&mut self, token: &str) -> bool {
        self.space();
        let found = self.text[self.at..].starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    /// Whether another part follows, or this is the end.
    fn goes_on(&mut self, end: &str) -> Result<bool> {
        if self.takes(end) {
            return Ok(false);
        }
        if self.takes(",") {
            return Ok(true);
        }
        Err(self.wrong())
    }

    fn value(&mut self) -> Result<Json> {
        for (word, value) in [("null", Json::Null), ("true", Json::Bool(true)), ("false", Json::Bool(false))] {
            if self.takes(word) {
                return Ok(value);
            }
        }
        if self.takes("{") {
            let mut fields = Vec::new();
            let mut more = !self.takes("}");
            while more {
                self.space();
                let name = self.string()?;
                if !self.takes(":") {
                    return Err(self.wrong());
                }
                fields.push((name, self.value()?));
                more = self.goes_on("}")?;
            }
            return Ok(Json::Object(fields));
        }
        if self.takes("[") {
            let mut list = Vec::new();
            let mut more = !self.takes("]");
            while more {
                list.push(self.value()?);
                more = self.goes_on("]")?;
            }
            return Ok(Json::List(list));
        }
        if self.text[self.at..].starts_with('"') {
            return self.string().map(Json::Text);
        }
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !"+-.eE0123456789".contains(c)).unwrap_or(rest.len());
        let digits = &rest[..end];
        let number = digits.parse().map(Json::Whole).or_else(|_| digits.parse().map(Json::Real));
        let number = number.map_err(|_| self.wrong())?;
        self.at += end;
        Ok(number)
    }

    fn string(&mut self) -> Result<String> {
        let mut made = String::new();
        let mut units = Vec::new(); // of UTF-16, escaped
        let body = self.text[self.at..].strip_prefix('"').ok_or_else(|| self.wrong())?;
        let mut rest = body.char_indices();
        while let Some((i, c)) = rest.next() {
            let escaped = if c == '\\' { rest.next().map(|(_, e)| e) } else { None };
            if escaped == Some('u') {
                let digits: String = rest.by_ref().take(4).map(|(_, d)| d).collect();
                units.push(u16::from_str_radix(&digits, 16).map_err(|_| self.wrong())?);
                continue;
            }
            made.push_str(&String::from_utf16_lossy(&std::mem::take(&mut units)));
            match (c, escaped) {
                ('"', _) => {
                    self.at += i + 2;
                    return Ok(made);
                }
                ('\\', Some('b')) => made.push('\u{8}'),
                ('\\', Some('f')) => made.push('\u{c}'),
                ('\\', Some('n')) => made.push('\n'),
                ('\\', Some('r')) => made.push('\r'),
                ('\\', Some('t')) => made.push('\t'),
                ('\\', Some(other)) => made.push(other),
                ('\\', None) => return Err(self.wrong()),
                (other, _) => made.push(other),
            }
        }
        Err(self.wrong())
    }
}

#[cfg(test)]
mod tests {
    use super::Json;

    #[test]
    fn what_json_has_is_read_and_what_it_lacks_is_refused() {
        let read = Json::read(
            r#" {"a": [1, -2.5e1, "x\n\"\u00e9\ud83d\ude00雪"], "b": {}, "c": null, "d": [true, false]} "#,
        );
        let read = read.expect("it is JSON");
        let list = read.get("a").expect("a").list();
        assert_eq!((list[0].as_whole(), &list[1]), (Some(1), &Json::Real(-25.0)));
        assert_eq!(list[2].as_text(), Some("x\n\"é😀雪"));
        assert!(read.get("b").expect("b").fields().is_empty() && read.get("c") == Some(&Json::Null));
        assert!(read.get("d").expect("d").list()[0].is_true());
        for wrong in ["", "{", "[1,", "\"a", "[1] 2", "{\"a\" 1}", "nul", "\"\\u12\""] {
            assert!(Json::read(wrong).is_err(), "{wrong}");
        }
    }
}
