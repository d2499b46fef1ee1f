l0:     beq a0, zero, l0
        .space 250
l1:     beq a0, zero, l7
        .space 250
l2:     beq a0, zero, l14
        .space 252
l3:     beq a0, zero, l21
        .space 250
l4:     beq a0, zero, l28
        .space 254
l5:     beq a0, zero, l35
        .space 250
l6:     beq a0, zero, l42
        .space 250
l7:     beq a0, zero, l49
        .space 252
l8:     beq a0, zero, l56
        .space 250
l9:     beq a0, zero, l63
        .space 254
l10:     beq a0, zero, l70
        .space 250
l11:     beq a0, zero, l77
        .space 250
l12:     beq a0, zero, l84
        .space 252
l13:     beq a0, zero, l91
        .space 250
l14:     beq a0, zero, l98
        .space 254
l15:     beq a0, zero, l105
        .space 250
l16:     beq a0, zero, l112
        .space 250
l17:     beq a0, zero, l119
        .space 252
l18:     beq a0, zero, l126
        .space 250
l19:     beq a0, zero, l133
        .space 254
l20:     beq a0, zero, l140
        .space 250
l21:     beq a0, zero, l147
        .space 250
l22:     beq a0, zero, l154
        .space 252
l23:     beq a0, zero, l161
        .space 250
l24:     beq a0, zero, l168
        .space 254
l25:     beq a0, zero, l175
        .space 250
l26:     beq a0, zero, l182
        .space 250
l27:     beq a0, zero, l189
        .space 252
l28:     beq a0, zero, l196
        .space 250
l29:     beq a0, zero, l203
        .space 254
l30:     beq a0, zero, l210
        .space 250
l31:     beq a0, zero, l217
        .space 250
l32:     beq a0, zero, l224
        .space 252
l33:     beq a0, zero, l231
        .space 250
l34:     beq a0, zero, l238
        .space 254
l35:     beq a0, zero, l245
        .space 250
l36:     beq a0, zero, l252
        .space 250
l37:     beq a0, zero, l259
        .space 252
l38:     beq a0, zero, l266
        .space 250
l39:     beq a0, zero, l273
        .space 254
l40:     beq a0, zero, l280
        .space 250
l41:     beq a0, zero, l287
        .space 250
l42:     beq a0, zero, l294
        .space 252
l43:     beq a0, zero, l301
        .space 250
l44:     beq a0, zero, l308
        .space 254
l45:     beq a0, zero, l315
        .space 250
l46:     beq a0, zero, l322
        .space 250
l47:     beq a0, zero, l329
        .space 252
l48:     beq a0, zero, l336
        .space 250
l49:     beq a0, zero, l343
        .space 254
l50:     beq a0, zero, l350
        .space 250
l51:     beq a0, zero, l357
        .space 250
l52:     beq a0, zero, l364
        .space 252
l53:     beq a0, zero, l371
        .space 250
l54:     beq a0, zero, l378
        .space 254
l55:     beq a0, zero, l385
        .space 250
l56:     beq a0, zero, l392
        .space 250
l57:     beq a0, zero, l399
        .space 252
l58:     beq a0, zero, l6
        .space 250
l59:     beq a0, zero, l13
        .space 254
l60:     beq a0, zero, l20
        .space 250
l61:     beq a0, zero, l27
        .space 250
l62:     beq a0, zero, l34
        .space 252
l63:     beq a0, zero, l41
        .space 250
l64:     beq a0, zero, l48
        .space 254
l65:     beq a0, zero, l55
        .space 250
l66:     beq a0, zero, l62
        .space 250
l67:     beq a0, zero, l69
        .space 252
l68:     beq a0, zero, l76
        .space 250
l69:     beq a0, zero, l83
        .space 254
l70:     beq a0, zero, l90
        .space 250
l71:     beq a0, zero, l97
        .space 250
l72:     beq a0, zero, l104
        .space 252
l73:     beq a0, zero, l111
        .space 250
l74:     beq a0, zero, l118
        .space 254
l75:     beq a0, zero, l125
        .space 250
l76:     beq a0, zero, l132
        .space 250
l77:     beq a0, zero, l139
        .space 252
l78:     beq a0, zero, l146
        .space 250
l79:     beq a0, zero, l153
        .space 254
l80:     beq a0, zero, l160
        .space 250
l81:     beq a0, zero, l167
        .space 250
l82:     beq a0, zero, l174
        .space 252
l83:     beq a0, zero, l181
        .space 250
l84:     beq a0, zero, l188
        .space 254
l85:     beq a0, zero, l195
        .space 250
l86:     beq a0, zero, l202
        .space 250
l87:     beq a0, zero, l209
        .space 252
l88:     beq a0, zero, l216
        .space 250
l89:     beq a0, zero, l223
        .space 254
l90:     beq a0, zero, l230
        .space 250
l91:     beq a0, zero, l237
        .space 250
l92:     beq a0, zero, l244
        .space 252
l93:     beq a0, zero, l251
        .space 250
l94:     beq a0, zero, l258
        .space 254
l95:     beq a0, zero, l265
        .space 250
l96:     beq a0, zero, l272
        .space 250
l97:     beq a0, zero, l279
        .space 252
l98:     beq a0, zero, l286
        .space 250
l99:     beq a0, zero, l293
        .space 254
l100:     beq a0, zero, l300
        .space 250
l101:     beq a0, zero, l307
        .space 250
l102:     beq a0, zero, l314
        .space 252
l103:     beq a0, zero, l321
        .space 250
l104:     beq a0, zero, l328
        .space 254
l105:     beq a0, zero, l335
        .space 250
l106:     beq a0, zero, l342
        .space 250
l107:     beq a0, zero, l349
        .space 252
l108:     beq a0, zero, l356
        .space 250
l109:     beq a0, zero, l363
        .space 254
l110:     beq a0, zero, l370
        .space 250
l111:     beq a0, zero, l377
        .space 250
l112:     beq a0, zero, l384
        .space 252
l113:     beq a0, zero, l391
        .space 250
l114:     beq a0, zero, l398
        .space 254
l115:     beq a0, zero, l5
        .space 250
l116:     beq a0, zero, l12
        .space 250
l117:     beq a0, zero, l19
        .space 252
l118:     beq a0, zero, l26
        .space 250
l119:     beq a0, zero, l33
        .space 254
l120:     beq a0, zero, l40
        .space 250
l121:     beq a0, zero, l47
        .space 250
l122:     beq a0, zero, l54
        .space 252
l123:     beq a0, zero, l61
        .space 250
l124:     beq a0, zero, l68
        .space 254
l125:     beq a0, zero, l75
        .space 250
l126:     beq a0, zero, l82
        .space 250
l127:     beq a0, zero, l89
        .space 252
l128:     beq a0, zero, l96
        .space 250
l129:     beq a0, zero, l103
        .space 254
l130:     beq a0, zero, l110
        .space 250
l131:     beq a0, zero, l117
        .space 250
l132:     beq a0, zero, l124
        .space 252
l133:     beq a0, zero, l131
        .space 250
l134:     beq a0, zero, l138
        .space 254
l135:     beq a0, zero, l145
        .space 250
l136:     beq a0, zero, l152
        .space 250
l137:     beq a0, zero, l159
        .space 252
l138:     beq a0, zero, l166
        .space 250
l139:     beq a0, zero, l173
        .space 254
l140:     beq a0, zero, l180
        .space 250
l141:     beq a0, zero, l187
        .space 250
l142:     beq a0, zero, l194
        .space 252
l143:     beq a0, zero, l201
        .space 250
l144:     beq a0, zero, l208
        .space 254
l145:     beq a0, zero, l215
        .space 250
l146:     beq a0, zero, l222
        .space 250
l147:     beq a0, zero, l229
        .space 252
l148:     beq a0, zero, l236
        .space 250
l149:     beq a0, zero, l243
        .space 254
l150:     beq a0, zero, l250
        .space 250
l151:     beq a0, zero, l257
        .space 250
l152:     beq a0, zero, l264
        .space 252
l153:     beq a0, zero, l271
        .space 250
l154:     beq a0, zero, l278
        .space 254
l155:     beq a0, zero, l285
        .space 250
l156:     beq a0, zero, l292
        .space 250
l157:     beq a0, zero, l299
        .space 252
l158:     beq a0, zero, l306
        .space 250
l159:     beq a0, zero, l313
        .space 254
l160:     beq a0, zero, l320
        .space 250
l161:     beq a0, zero, l327
        .space 250
l162:     beq a0, zero, l334
        .space 252
l163:     beq a0, zero, l341
        .space 250
l164:     beq a0, zero, l348
        .space 254
l165:     beq a0, zero, l355
        .space 250
l166:     beq a0, zero, l362
        .space 250
l167:     beq a0, zero, l369
        .space 252
l168:     beq a0, zero, l376
        .space 250
l169:     beq a0, zero, l383
        .space 254
l170:     beq a0, zero, l390
        .space 250
l171:     beq a0, zero, l397
        .space 250
l172:     beq a0, zero, l4
        .space 252
l173:     beq a0, zero, l11
        .space 250
l174:     beq a0, zero, l18
        .space 254
l175:     beq a0, zero, l25
        .space 250
l176:     beq a0, zero, l32
        .space 250
l177:     beq a0, zero, l39
        .space 252
l178:     beq a0, zero, l46
        .space 250
l179:     beq a0, zero, l53
        .space 254
l180:     beq a0, zero, l60
        .space 250
l181:     beq a0, zero, l67
        .space 250
l182:     beq a0, zero, l74
        .space 252
l183:     beq a0, zero, l81
        .space 250
l184:     beq a0, zero, l88
        .space 254
l185:     beq a0, zero, l95
        .space 250
l186:     beq a0, zero, l102
        .space 250
l187:     beq a0, zero, l109
        .space 252
l188:     beq a0, zero, l116
        .space 250
l189:     beq a0, zero, l123
        .space 254
l190:     beq a0, zero, l130
        .space 250
l191:     beq a0, zero, l137
        .space 250
l192:     beq a0, zero, l144
        .space 252
l193:     beq a0, zero, l151
        .space 250
l194:     beq a0, zero, l158
        .space 254
l195:     beq a0, zero, l165
        .space 250
l196:     beq a0, zero, l172
        .space 250
l197:     beq a0, zero, l179
        .space 252
l198:     beq a0, zero, l186
        .space 250
l199:     beq a0, zero, l193
        .space 254
l200:     beq a0, zero, l200
        .space 250
l201:     beq a0, zero, l207
        .space 250
l202:     beq a0, zero, l214
        .space 252
l203:     beq a0, zero, l221
        .space 250
l204:     beq a0, zero, l228
        .space 254
l205:     beq a0, zero, l235
        .space 250
l206:     beq a0, zero, l242
        .space 250
l207:     beq a0, zero, l249
        .space 252
l208:     beq a0, zero, l256
        .space 250
l209:     beq a0, zero, l263
        .space 254
l210:     beq a0, zero, l270
        .space 250
l211:     beq a0, zero, l277
        .space 250
l212:     beq a0, zero, l284
        .space 252
l213:     beq a0, zero, l291
        .space 250
l214:     beq a0, zero, l298
        .space 254
l215:     beq a0, zero, l305
        .space 250
l216:     beq a0, zero, l312
        .space 250
l217:     beq a0, zero, l319
        .space 252
l218:     beq a0, zero, l326
        .space 250
l219:     beq a0, zero, l333
        .space 254
l220:     beq a0, zero, l340
        .space 250
l221:     beq a0, zero, l347
        .space 250
l222:     beq a0, zero, l354
        .space 252
l223:     beq a0, zero, l361
        .space 250
l224:     beq a0, zero, l368
        .space 254
l225:     beq a0, zero, l375
        .space 250
l226:     beq a0, zero, l382
        .space 250
l227:     beq a0, zero, l389
        .space 252
l228:     beq a0, zero, l396
        .space 250
l229:     beq a0, zero, l3
        .space 254
l230:     beq a0, zero, l10
        .space 250
l231:     beq a0, zero, l17
        .space 250
l232:     beq a0, zero, l24
        .space 252
l233:     beq a0, zero, l31
        .space 250
l234:     beq a0, zero, l38
        .space 254
l235:     beq a0, zero, l45
        .space 250
l236:     beq a0, zero, l52
        .space 250
l237:     beq a0, zero, l59
        .space 252
l238:     beq a0, zero, l66
        .space 250
l239:     beq a0, zero, l73
        .space 254
l240:     beq a0, zero, l80
        .space 250
l241:     beq a0, zero, l87
        .space 250
l242:     beq a0, zero, l94
        .space 252
l243:     beq a0, zero, l101
        .space 250
l244:     beq a0, zero, l108
        .space 254
l245:     beq a0, zero, l115
        .space 250
l246:     beq a0, zero, l122
        .space 250
l247:     beq a0, zero, l129
        .space 252
l248:     beq a0, zero, l136
        .space 250
l249:     beq a0, zero, l143
        .space 254
l250:     beq a0, zero, l150
        .space 250
l251:     beq a0, zero, l157
        .space 250
l252:     beq a0, zero, l164
        .space 252
l253:     beq a0, zero, l171
        .space 250
l254:     beq a0, zero, l178
        .space 254
l255:     beq a0, zero, l185
        .space 250
l256:     beq a0, zero, l192
        .space 250
l257:     beq a0, zero, l199
        .space 252
l258:     beq a0, zero, l206
        .space 250
l259:     beq a0, zero, l213
        .space 254
l260:     beq a0, zero, l220
        .space 250
l261:     beq a0, zero, l227
        .space 250
l262:     beq a0, zero, l234
        .space 252
l263:     beq a0, zero, l241
        .space 250
l264:     beq a0, zero, l248
        .space 254
l265:     beq a0, zero, l255
        .space 250
l266:     beq a0, zero, l262
        .space 250
l267:     beq a0, zero, l269
        .space 252
l268:     beq a0, zero, l276
        .space 250
l269:     beq a0, zero, l283
        .space 254
l270:     beq a0, zero, l290
        .space 250
l271:     beq a0, zero, l297
        .space 250
l272:     beq a0, zero, l304
        .space 252
l273:     beq a0, zero, l311
        .space 250
l274:     beq a0, zero, l318
        .space 254
l275:     beq a0, zero, l325
        .space 250
l276:     beq a0, zero, l332
        .space 250
l277:     beq a0, zero, l339
        .space 252
l278:     beq a0, zero, l346
        .space 250
l279:     beq a0, zero, l353
        .space 254
l280:     beq a0, zero, l360
        .space 250
l281:     beq a0, zero, l367
        .space 250
l282:     beq a0, zero, l374
        .space 252
l283:     beq a0, zero, l381
        .space 250
l284:     beq a0, zero, l388
        .space 254
l285:     beq a0, zero, l395
        .space 250
l286:     beq a0, zero, l2
        .space 250
l287:     beq a0, zero, l9
        .space 252
l288:     beq a0, zero, l16
        .space 250
l289:     beq a0, zero, l23
        .space 254
l290:     beq a0, zero, l30
        .space 250
l291:     beq a0, zero, l37
        .space 250
l292:     beq a0, zero, l44
        .space 252
l293:     beq a0, zero, l51
        .space 250
l294:     beq a0, zero, l58
        .space 254
l295:     beq a0, zero, l65
        .space 250
l296:     beq a0, zero, l72
        .space 250
l297:     beq a0, zero, l79
        .space 252
l298:     beq a0, zero, l86
        .space 250
l299:     beq a0, zero, l93
        .space 254
l300:     beq a0, zero, l100
        .space 250
l301:     beq a0, zero, l107
        .space 250
l302:     beq a0, zero, l114
        .space 252
l303:     beq a0, zero, l121
        .space 250
l304:     beq a0, zero, l128
        .space 254
l305:     beq a0, zero, l135
        .space 250
l306:     beq a0, zero, l142
        .space 250
l307:     beq a0, zero, l149
        .space 252
l308:     beq a0, zero, l156
        .space 250
l309:     beq a0, zero, l163
        .space 254
l310:     beq a0, zero, l170
        .space 250
l311:     beq a0, zero, l177
        .space 250
l312:     beq a0, zero, l184
        .space 252
l313:     beq a0, zero, l191
        .space 250
l314:     beq a0, zero, l198
        .space 254
l315:     beq a0, zero, l205
        .space 250
l316:     beq a0, zero, l212
        .space 250
l317:     beq a0, zero, l219
        .space 252
l318:     beq a0, zero, l226
        .space 250
l319:     beq a0, zero, l233
        .space 254
l320:     beq a0, zero, l240
        .space 250
l321:     beq a0, zero, l247
        .space 250
l322:     beq a0, zero, l254
        .space 252
l323:     beq a0, zero, l261
        .space 250
l324:     beq a0, zero, l268
        .space 254
l325:     beq a0, zero, l275
        .space 250
l326:     beq a0, zero, l282
        .space 250
l327:     beq a0, zero, l289
        .space 252
l328:     beq a0, zero, l296
        .space 250
l329:     beq a0, zero, l303
        .space 254
l330:     beq a0, zero, l310
        .space 250
l331:     beq a0, zero, l317
        .space 250
l332:     beq a0, zero, l324
        .space 252
l333:     beq a0, zero, l331
        .space 250
l334:     beq a0, zero, l338
        .space 254
l335:     beq a0, zero, l345
        .space 250
l336:     beq a0, zero, l352
        .space 250
l337:     beq a0, zero, l359
        .space 252
l338:     beq a0, zero, l366
        .space 250
l339:     beq a0, zero, l373
        .space 254
l340:     beq a0, zero, l380
        .space 250
l341:     beq a0, zero, l387
        .space 250
l342:     beq a0, zero, l394
        .space 252
l343:     beq a0, zero, l1
        .space 250
l344:     beq a0, zero, l8
        .space 254
l345:     beq a0, zero, l15
        .space 250
l346:     beq a0, zero, l22
        .space 250
l347:     beq a0, zero, l29
        .space 252
l348:     beq a0, zero, l36
        .space 250
l349:     beq a0, zero, l43
        .space 254
l350:     beq a0, zero, l50
        .space 250
l351:     beq a0, zero, l57
        .space 250
l352:     beq a0, zero, l64
        .space 252
l353:     beq a0, zero, l71
        .space 250
l354:     beq a0, zero, l78
        .space 254
l355:     beq a0, zero, l85
        .space 250
l356:     beq a0, zero, l92
        .space 250
l357:     beq a0, zero, l99
        .space 252
l358:     beq a0, zero, l106
        .space 250
l359:     beq a0, zero, l113
        .space 254
l360:     beq a0, zero, l120
        .space 250
l361:     beq a0, zero, l127
        .space 250
l362:     beq a0, zero, l134
        .space 252
l363:     beq a0, zero, l141
        .space 250
l364:     beq a0, zero, l148
        .space 254
l365:     beq a0, zero, l155
        .space 250
l366:     beq a0, zero, l162
        .space 250
l367:     beq a0, zero, l169
        .space 252
l368:     beq a0, zero, l176
        .space 250
l369:     beq a0, zero, l183
        .space 254
l370:     beq a0, zero, l190
        .space 250
l371:     beq a0, zero, l197
        .space 250
l372:     beq a0, zero, l204
        .space 252
l373:     beq a0, zero, l211
        .space 250
l374:     beq a0, zero, l218
        .space 254
l375:     beq a0, zero, l225
        .space 250
l376:     beq a0, zero, l232
        .space 250
l377:     beq a0, zero, l239
        .space 252
l378:     beq a0, zero, l246
        .space 250
l379:     beq a0, zero, l253
        .space 254
l380:     beq a0, zero, l260
        .space 250
l381:     beq a0, zero, l267
        .space 250
l382:     beq a0, zero, l274
        .space 252
l383:     beq a0, zero, l281
        .space 250
l384:     beq a0, zero, l288
        .space 254
l385:     beq a0, zero, l295
        .space 250
l386:     beq a0, zero, l302
        .space 250
l387:     beq a0, zero, l309
        .space 252
l388:     beq a0, zero, l316
        .space 250
l389:     beq a0, zero, l323
        .space 254
l390:     beq a0, zero, l330
        .space 250
l391:     beq a0, zero, l337
        .space 250
l392:     beq a0, zero, l344
        .space 252
l393:     beq a0, zero, l351
        .space 250
l394:     beq a0, zero, l358
        .space 254
l395:     beq a0, zero, l365
        .space 250
l396:     beq a0, zero, l372
        .space 250
l397:     beq a0, zero, l379
        .space 252
l398:     beq a0, zero, l386
        .space 250
l399:     beq a0, zero, l393
        .space 254
