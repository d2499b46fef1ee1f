//! What requests are answered by.

use std::path::PathBuf;
use std::sync::Arc;

use isac_parser::source::FileId;
use lsp_server::{ErrorCode, Request, Response};
use lsp_types::{
    CodeLensParams, CompletionParams, DocumentFormattingParams, DocumentHighlightParams,
    DocumentSymbolParams, DocumentSymbolResponse, GotoDefinitionParams, HoverParams, InlayHintParams,
    PrepareRenameResponse, ReferenceParams, RenameParams, SemanticTokens, SemanticTokensParams,
    TextDocumentPositionParams, Uri,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::state::{no_file, read};
use super::{Server, Stage};
use crate::analysis::Analysis;
use crate::completion::completions_at;
use crate::hover::hover_of;
use crate::layout::layout_edits;
use crate::lens::{hints_of, lenses_of};
use crate::mention::references;
use crate::navigation::{definition, highlights};
use crate::outline::outline_of;
use crate::rename::{prepare, rename};
use crate::settings::Coverage;
use crate::tokens::tokens_of;
use crate::uri::path_of;

/// A request that makes sense and cannot be fulfilled.
const REQUEST_FAILED: i32 = -32803;

/// Why a request is not answered.
#[derive(Debug)]
struct Refusal {
    code: i32,
    reason: String,
}

impl Refusal {
    fn wrong_params(reason: impl Into<String>) -> Refusal {
        Refusal { code: ErrorCode::InvalidParams as i32, reason: reason.into() }
    }

    fn failed(reason: impl Into<String>) -> Refusal {
        Refusal { code: REQUEST_FAILED, reason: reason.into() }
    }
}

type Answer = Result<Value, Refusal>;

/// A file of a description.
struct Place {
    path: PathBuf,
    analysis: Arc<Analysis>,
    file: FileId,
}

impl Server {
    /// Answers a request, by the texts as they are now.
    pub fn request(&mut self, request: Request) -> Response {
        let Request { id, method, params } = request;
        let answer = match (self.stage(), method.as_str()) {
            (Stage::New, "initialize") => read(params)
                .map_err(Refusal::wrong_params)
                .and_then(|params| to_value(self.initialize(params))),
            (Stage::New, _) => Err(Refusal {
                code: ErrorCode::ServerNotInitialized as i32,
                reason: format!("{method} before initialize"),
            }),
            (Stage::ShutDown, _) => Err(Refusal {
                code: ErrorCode::InvalidRequest as i32,
                reason: format!("{method} after shutdown"),
            }),
            (Stage::Running, "initialize") => Err(Refusal {
                code: ErrorCode::InvalidRequest as i32,
                reason: "initialize for the second time".to_owned(),
            }),
            (Stage::Running, "shutdown") => {
                self.shut_down();
                Ok(Value::Null)
            }
            (Stage::Running, _) => self.answer(&method, params),
        };
        match answer {
            Ok(value) => Response::new_ok(id, value),
            Err(Refusal { code, reason }) => Response::new_err(id, code, reason),
        }
    }

    fn answer(&mut self, method: &str, params: Value) -> Answer {
        match method {
            "textDocument/definition" | "textDocument/declaration" => {
                let params: GotoDefinitionParams = parse(params)?;
                let at = params.text_document_position_params;
                let Place { analysis, file, .. } = self.place(&at.text_document.uri)?;
                to_value(definition(&analysis, file, at.position))
            }
            "textDocument/references" => self.references(parse(params)?),
            "textDocument/documentHighlight" => {
                let params: DocumentHighlightParams = parse(params)?;
                let at = params.text_document_position_params;
                let Place { analysis, file, .. } = self.place(&at.text_document.uri)?;
                to_value(highlights(&analysis, file, at.position))
            }
            "textDocument/hover" => {
                let params: HoverParams = parse(params)?;
                let at = params.text_document_position_params;
                let Place { analysis, file, .. } = self.place(&at.text_document.uri)?;
                let study = self.study_of(&analysis.root);
                to_value(hover_of(&analysis, study.as_deref(), file, at.position))
            }
            "textDocument/completion" => {
                let params: CompletionParams = parse(params)?;
                let at = params.text_document_position;
                let Place { analysis, file, .. } = self.place(&at.text_document.uri)?;
                let whole = self.whole_of(&analysis.root);
                to_value(completions_at(&analysis, whole.as_deref(), file, at.position))
            }
            "textDocument/documentSymbol" => {
                let params: DocumentSymbolParams = parse(params)?;
                let Place { analysis, file, .. } = self.place(&params.text_document.uri)?;
                to_value(DocumentSymbolResponse::Nested(outline_of(&analysis, file)))
            }
            "textDocument/semanticTokens/full" => {
                let params: SemanticTokensParams = parse(params)?;
                let Place { analysis, file, .. } = self.place(&params.text_document.uri)?;
                to_value(SemanticTokens { result_id: None, data: tokens_of(&analysis, file) })
            }
            "textDocument/formatting" => {
                let params: DocumentFormattingParams = parse(params)?;
                let path = file_of(&params.text_document.uri)?;
                let text = self.documents.text(&path);
                let text =
                    text.ok_or_else(|| Refusal::failed(format!("{} cannot be read", path.display())))?;
                to_value(layout_edits(&text))
            }
            "textDocument/prepareRename" => {
                let params: TextDocumentPositionParams = parse(params)?;
                let path = file_of(&params.text_document.uri)?;
                let (range, placeholder) = prepare(self, &path, params.position).map_err(Refusal::failed)?;
                to_value(PrepareRenameResponse::RangeWithPlaceholder { range, placeholder })
            }
            "textDocument/rename" => {
                let params: RenameParams = parse(params)?;
                let at = params.text_document_position;
                let path = file_of(&at.text_document.uri)?;
                to_value(rename(self, &path, at.position, &params.new_name).map_err(Refusal::failed)?)
            }
            "textDocument/codeLens" => {
                let params: CodeLensParams = parse(params)?;
                let Place { analysis, file, .. } = self.place(&params.text_document.uri)?;
                if self.settings.coverage != Coverage::Lens {
                    return Ok(json!([]));
                }
                let counts = self.counts_of(&analysis.root);
                to_value(counts.map(|counts| lenses_of(&analysis, file, counts)).unwrap_or_default())
            }
            "textDocument/inlayHint" => {
                let params: InlayHintParams = parse(params)?;
                let Place { analysis, file, .. } = self.place(&params.text_document.uri)?;
                let (Coverage::Hint, Some(profile)) = (self.settings.coverage, self.settings.profile.clone())
                else {
                    return Ok(json!([]));
                };
                let counts = self.counts_of(&analysis.root);
                let hints =
                    counts.map(|counts| hints_of(&analysis, file, counts, &profile)).unwrap_or_default();
                let lines = params.range.start.line..=params.range.end.line;
                let wanted = hints.into_iter().filter(|hint| lines.contains(&hint.position.line));
                to_value(wanted.collect::<Vec<_>>())
            }
            _ => Err(Refusal {
                code: ErrorCode::MethodNotFound as i32,
                reason: format!("{method} is not offered"),
            }),
        }
    }

    /// Mentions of a name in all descriptions that share it, each place once.
    fn references(&mut self, params: ReferenceParams) -> Answer {
        let at = params.text_document_position;
        let Place { path, .. } = self.place(&at.text_document.uri)?;
        let with_definitions = params.context.include_declaration;
        to_value(references(self, &path, at.position, with_definitions).map_err(Refusal::failed)?)
    }

    /// A file, and the description that it is part of.
    fn place(&mut self, uri: &Uri) -> Result<Place, Refusal> {
        let path = file_of(uri)?;
        let analysis = self.analysis_of(&path).map_err(Refusal::failed)?;
        let missing = || Refusal::failed(format!("{} is not part of a description", path.display()));
        let file = analysis.file(&path).ok_or_else(missing)?;
        Ok(Place { path, analysis, file })
    }
}

fn file_of(uri: &Uri) -> Result<PathBuf, Refusal> {
    path_of(uri).ok_or_else(|| Refusal::wrong_params(no_file(uri.as_str())))
}

fn parse<T: DeserializeOwned>(params: Value) -> Result<T, Refusal> {
    read(params).map_err(Refusal::wrong_params)
}

fn to_value(answer: impl Serialize) -> Answer {
    serde_json::to_value(answer)
        .map_err(|error| Refusal { code: ErrorCode::InternalError as i32, reason: error.to_string() })
}
